import { setTimeout as sleep } from "node:timers/promises";
import { readStartTime } from "../src/process-facts.ts";

/** Waits for a condition; the test's timeout ends a wait in vain. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readStartTime(pid)) !== null;
}
