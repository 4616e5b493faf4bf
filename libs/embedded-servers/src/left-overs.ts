import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessFacts, readProcessFacts, readStartTime } from "./process-facts.ts";

/** Signals sent in sequence, each with its grace period. */
export type StopSteps = readonly { signal: NodeJS.Signals; waitMs: number }[];

/**
 * Stops servers that an earlier run left behind when it was killed. The caller identifies them by the kernel's data
 * about a process (executable, folder, arguments); a process id in a file proves nothing, because ids are reused. Finds
 * nothing on systems without /proc; there PostgreSQL itself refuses to start twice.
 */
export async function stopLeftOvers({
  isOurs,
  steps,
  onFound = () => {},
}: {
  isOurs: (facts: ProcessFacts) => boolean;
  steps: StopSteps;
  onFound?: (pid: number) => void;
}): Promise<void> {
  const found = await findProcesses(isOurs);
  for (const { pid } of found) onFound(pid);
  for (const { signal, waitMs } of steps) {
    const alive = await keepAlive(found);
    if (alive.length === 0) return;
    for (const { pid } of alive) signalQuietly(pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline && (await keepAlive(alive)).length > 0) await sleep(20);
  }
}

interface FoundProcess {
  pid: number;
  started: string;
}

async function findProcesses(isOurs: (facts: ProcessFacts) => boolean): Promise<FoundProcess[]> {
  const names = await readdir("/proc").catch(() => []);
  const found: FoundProcess[] = [];
  for (const pid of names.filter((name) => /^\d+$/.test(name)).map(Number)) {
    // The start time is read first: if the id is reused in between, no process matches.
    const started = await readStartTime(pid);
    if (started === null || pid === process.pid) continue;
    const facts = await readProcessFacts(pid);
    if (facts !== null && isOurs(facts)) found.push({ pid, started });
  }
  return found;
}

async function keepAlive(processes: readonly FoundProcess[]): Promise<FoundProcess[]> {
  const alive: FoundProcess[] = [];
  for (const candidate of processes) {
    if ((await readStartTime(candidate.pid)) === candidate.started) alive.push(candidate);
  }
  return alive;
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}
