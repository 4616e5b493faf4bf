import { constants, getPriority, setPriority } from "node:os";

/** The lower one gets a third of a processor that the event loop or PostgreSQL want, too. */
const stepsBack = 5;

/**
 * Lowers the priority of a process, or of a thread by its number on Linux, that computes for a few projects: on a small machine
 * it would otherwise take all processors from the event loop and PostgreSQL. Where the system refuses it, nothing changes.
 */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority(pid) + stepsBack));
  } catch {
    // The computation is still right.
  }
}
