import { type ChildProcess, spawn } from "node:child_process";
import { readStartTime } from "./process-facts.ts";

/** A process that the guardian stops when we die: with a signal first, after five seconds with SIGKILL. */
export interface GuardedProcess {
  pid: number;
  politeSignal: "INT" | "TERM";
  forcefulSignal: "QUIT" | "KILL";
}

export interface Guardian {
  /** Replaces the list of processes to stop when this process is gone. */
  watch(processes: readonly GuardedProcess[]): Promise<void>;
  /** Ends the guardian; it stops nothing. */
  dismiss(): void;
}

/**
 * The shell waits on its standard input, a pipe that only we hold, so the kernel closes it however we die, kill -9
 * included. A process counts as ours only while its start time (field 22 of /proc/<pid>/stat) is the one we reported,
 * so a reused process id is never signalled; a zombie counts as gone. Without /proc only the id is checked.
 */
const script = `
trap '' INT TERM HUP
targets=$1
while IFS= read -r line; do targets=$line; done

is_alive() {
  [ "$2" = unknown ] && { kill -0 "$1" 2>/dev/null; return; }
  { IFS= read -r facts < "/proc/$1/stat"; } 2>/dev/null || return 1
  expected=$2
  set -- \${facts##*) }
  [ "$1" != Z ] && [ "\${20}" = "$expected" ]
}

signal_all() {
  remaining=
  for target in $targets; do
    IFS=: read -r pid started polite forceful <<END
$target
END
    is_alive "$pid" "$started" || continue
    remaining=yes
    [ "$1" = polite ] && kill -s "$polite" "$pid" 2>/dev/null
    [ "$1" = forceful ] && kill -s "$forceful" "$pid" 2>/dev/null
  done
}

signal_all polite
tries=0
while [ -n "$remaining" ] && [ $tries -lt 100 ]; do
  sleep 0.05
  tries=$((tries + 1))
  signal_all look
done
[ -n "$remaining" ] && signal_all forceful
exit 0
`;

const rehireAfterMs = 500;

/**
 * Starts a small shell that outlives us briefly and stops the servers when we are killed before we can. It runs in a
 * separate session, so a Ctrl-C in the terminal does not reach it.
 */
export function startGuardian(): Guardian {
  let shell: ChildProcess | null = null;
  let targets = "";
  let lists = 0;
  let isDismissed = false;

  const hire = () => {
    if (isDismissed) return;
    // It has the list from the start: we may be killed before we could write it.
    const hired = spawn("/bin/sh", ["-c", script, "guardian", targets], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell = hired;
    // If a guardian cannot start only the safety net is missing: the next start finds leftovers. A killed one is
    // replaced after a pause, so that repeated failures do not use up a processor.
    const replace = () => {
      if (shell !== hired) return;
      shell = null;
      setTimeout(hire, rehireAfterMs).unref();
    };
    hired.once("exit", replace).on("error", replace);
    hired.stdin?.on("error", () => {});
    hired.unref();
    (hired.stdin as { unref?: () => void } | null)?.unref?.();
  };
  hire();

  return {
    async watch(processes) {
      lists += 1;
      const list = lists;
      const lines = await Promise.all(processes.map(describe));
      // If two lists are built at once the later request wins.
      if (isDismissed || list !== lists) return;
      targets = lines.filter((line) => line !== null).join(" ");
      shell?.stdin?.write(`${targets}\n`);
    },
    dismiss() {
      isDismissed = true;
      shell?.stdin?.end("\n");
    },
  };
}

/** A process as the script reads it, or null when it has ended: the next process with its id is not ours. */
async function describe({ pid, politeSignal, forcefulSignal }: GuardedProcess): Promise<string | null> {
  const started = process.platform === "linux" ? await readStartTime(pid) : "unknown";
  return started === null ? null : [pid, started, politeSignal, forcefulSignal].join(":");
}
