import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Less garbage than this is not worth a collection. */
const garbageMinBytes = 64 * 1024 * 1024;
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
  let keptBytes = process.memoryUsage().arrayBuffers;
  let last = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const { arrayBuffers } = process.memoryUsage();
    keptBytes = Math.min(keptBytes, arrayBuffers);
    if (utilization > idleMax || arrayBuffers - keptBytes < garbageMinBytes) return;
    collectGarbage();
    keptBytes = process.memoryUsage().arrayBuffers;
  }, everyMs).unref();
}
