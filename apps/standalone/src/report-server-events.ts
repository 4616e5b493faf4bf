import type { ServerEvent } from "@touchstone/embedded-servers";

/** The same line is not repeated within this time. */
const quietMs = 60_000;

/**
 * Logs each event of a built-in server: why it ended or does not start, and that it is back. A repeated event is one line a
 * minute, with the number of repetitions.
 */
export function createServerReport({
  write,
  nowMs = () => performance.now(),
}: {
  write: (line: string) => void;
  nowMs?: () => number;
}): (server: string, event: ServerEvent) => void {
  const written = new Map<string, { atMs: number; withheld: number }>();
  /** Servers that were last reported as down. */
  const away = new Set<string>();

  return (server, event) => {
    if (event.kind === "restarted") {
      if (away.delete(server)) write(`${server} is back after ${(event.downMs / 1000).toFixed(1)} s.`);
      return;
    }
    const { message, hint } = event.error;
    const line = `${message} ${hint} ${event.kind === "died" ? "Starting it again." : "Trying again until it starts."}`;
    const before = written.get(line);
    if (before !== undefined && nowMs() - before.atMs < quietMs) {
      before.withheld += 1;
      return;
    }
    const times =
      before === undefined || before.withheld === 0 ? "" : ` (${before.withheld + 1} times since this line)`;
    write(`${line}${times}`);
    written.set(line, { atMs: nowMs(), withheld: 0 });
    away.add(server);
  };
}
