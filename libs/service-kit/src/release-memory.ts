import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Fewer buffers than this are not worth a collection. */
const buffersMinBytes = 64 * 1024 * 1024;
/** Buffers in use at one collection may be unused soon after, which nothing shows: the next one follows after this many intervals. */
const intervalsBetween = 2;
/** Of the last interval; a busier process collects by itself. */
const idleMax = 0.2;

/**
 * Releases the memory of large answers and bodies once a process is idle. V8 collects garbage only on allocation, and a
 * process without requests allocates nothing: it would keep hundreds of megabytes until the next ones.
 */
export function releaseIdleMemory({ everyMs = 10_000 } = {}): void {
  // The flag exposes this function; with `node --expose-gc` every start command would need the option.
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
    const bytes = readBufferBytes();
    if (bytes === null || utilization > idleMax || bytes < buffersMinBytes) return;
    if (bytes - usedBytes < buffersMinBytes && intervals < intervalsBetween) return;
    collectGarbage();
    usedBytes = readBufferBytes() ?? usedBytes;
    intervals = 0;
  }, everyMs).unref();
}

/** Null when it cannot be read: Node opens a file for it, and the process may have no file descriptor left. */
function readBufferBytes(): number | null {
  try {
    return process.memoryUsage().arrayBuffers;
  } catch {
    return null;
  }
}
