import { readFile } from "node:fs/promises";
import path from "node:path";
import { stopLeftOvers } from "./left-overs.ts";
import { type ProcessFacts, readProcessFacts } from "./process-facts.ts";

export interface PostgresPlace {
  /** The folder of this home's binaries; a process that runs one of them belongs to this home. */
  binFolder: string;
  dataFolder: string;
}

/** Stops the PostgreSQL, or the initdb, of an earlier run on this data, within five seconds. */
export async function stopOldPostgres({
  binFolder,
  dataFolder,
  onFound,
}: PostgresPlace & { onFound: (pid: number) => void }): Promise<void> {
  const runsOurs = ({ executable }: ProcessFacts) => executable.startsWith(`${binFolder}${path.sep}`);
  // Only the postmaster itself may be signalled: the checkpointer would treat SIGINT as a crash. The other processes
  // show a title ("postgres: checkpointer") in place of these arguments.
  const isPostmaster = (facts: ProcessFacts) =>
    runsOurs(facts) && facts.arguments[1] === "-D" && facts.arguments[2] === dataFolder;
  await stopLeftOvers({
    isOurs: isPostmaster,
    steps: [
      { signal: "SIGINT", waitMs: 2_500 },
      { signal: "SIGQUIT", waitMs: 1_000 },
      { signal: "SIGKILL", waitMs: 500 },
    ],
    onFound,
  });
  // A killed initdb leaves the postgres that it started: that one works in the unfinished cluster, and still writes.
  const isInitdb = (facts: ProcessFacts) =>
    runsOurs(facts) &&
    (facts.arguments.some((argument) => argument.startsWith(`--pgdata=${dataFolder}.`)) ||
      facts.workingFolder?.startsWith(`${dataFolder}.`) === true);
  await stopLeftOvers({ isOurs: isInitdb, steps: [{ signal: "SIGKILL", waitMs: 500 }], onFound });
}

/**
 * Ends sessions whose postmaster was killed. They notice that themselves, except during a long query, and while one is
 * left PostgreSQL does not start. Only to be called while no postmaster runs on the data.
 */
export async function stopOrphans({ binFolder, dataFolder }: PostgresPlace): Promise<void> {
  await stopLeftOvers({
    isOurs: ({ executable, workingFolder }) =>
      executable.startsWith(`${binFolder}${path.sep}`) && workingFolder === dataFolder,
    steps: [
      { signal: "SIGQUIT", waitMs: 300 },
      { signal: "SIGKILL", waitMs: 300 },
    ],
  });
}

/**
 * The process id in a stale postmaster.pid if another program has that id now, as happens after a reboot; else null.
 * PostgreSQL would mistake that program for a running server and refuse to start. With this id it makes its other
 * checks and replaces the file itself.
 */
export async function findReusedPid({ binFolder, dataFolder }: PostgresPlace): Promise<number | null> {
  const text = await readFile(path.join(dataFolder, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0)) return null;
  const facts = await readProcessFacts(pid);
  return facts === null || facts.executable.startsWith(`${binFolder}${path.sep}`) ? null : pid;
}
