import { constants, getPriority, setPriority } from "node:os";

/**
 * Lowers the priority of a process, or of a thread by its number on Linux, that computes for a few projects: on a small machine
 * it would otherwise take all processors from the event loop and PostgreSQL. Of a processor that they want, too, it gets a third
 * at 5 steps on Linux, and a tenth at 10. Where the system refuses it, nothing changes.
 */
export function lowerPriority(pid: number, steps: number): void {
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority(pid) + steps));
  } catch {
    // The computation is still right.
  }
}
