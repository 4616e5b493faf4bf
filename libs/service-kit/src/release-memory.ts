import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Fewer buffers than this are not worth a collection. */
const buffersMinBytes = 64 * 1024 * 1024;
/** What was in use at one collection may not be at the next: after so many intervals it is tried again. */
const intervalsBetween = 6;
/** Of the last interval; a process that works more collects by itself. */
const idleMax = 0.2;

/**
 * Gives the memory of large answers and bodies back once a process is idle. V8 collects garbage when something is allocated,
 * and a process without requests allocates nothing: it would keep hundreds of megabytes until the next ones.
 */
export function releaseIdleMemory({ everyMs = 10_000 } = {}): void {
  // The function is what the flag exposes; `node --expose-gc` would have to be remembered wherever a service is started.
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  let usedBytes = 0;
  let intervals = 0;
  let last = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    intervals += 1;
    const { arrayBuffers } = process.memoryUsage();
    if (utilization > idleMax || arrayBuffers < buffersMinBytes) return;
    if (arrayBuffers - usedBytes < buffersMinBytes && intervals < intervalsBetween) return;
    collectGarbage();
    usedBytes = process.memoryUsage().arrayBuffers;
    intervals = 0;
  }, everyMs).unref();
}
