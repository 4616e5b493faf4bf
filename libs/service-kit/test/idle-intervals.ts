import { performance } from "node:perf_hooks";

export const everyMs = 500;
const intervalsMax = 60;

/**
 * Counts intervals without work, since on a busy machine work takes long. Prints the figures with the count and exits once the memory
 * is released, or after the last interval. Null: there is nothing to release yet.
 */
export function printOnceReleased(measure: () => { isReleased: boolean; figures: object } | null): void {
  let intervals = 0;
  let last = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > 0.1) return;
    const measured = measure();
    if (measured === null) return;
    intervals += 1;
    if (!measured.isReleased && intervals < intervalsMax) return;
    process.stdout.write(JSON.stringify({ ...measured.figures, intervals }), () => process.exit(0));
  }, everyMs);
}
