import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Less memory than this is not worth a collection. */
const worthBytes = 64 * 1024 * 1024;
/** A larger heap takes too long to return its pages: two collections of this much take about 120 ms. */
const returnableBytes = 96 * 1024 * 1024;
/** Buffers in use at one collection may be unused soon after, which nothing shows: the next one follows after this many intervals. */
const intervalsBetween = 2;
/** After this many intervals without a collection, half as much of the heap is worth one, and its pages may be returned however little it grew. */
const intervalsUntilLittle = 30;
/** Of the last interval; a busier process collects by itself. */
const idleMax = 0.4;
/**
 * Of the time that the event loop was active, how much it had a processor at least. Where it has to wait for one, so have the
 * threads that collect: a pause would be many times as long.
 */
const processorMin = 0.7;
/** The event loop was active for so little time that its share of a processor shows nothing. */
const activeMinMs = 100;

/** What a process has of V8. */
interface Held {
  bufferBytes: number;
  /** Pages, also those with garbage or nothing in them. */
  heapBytes: number;
  heapUsedBytes: number;
  /** Neither heap nor buffers: among others the pages that V8 took from the heap and keeps for the next growth. */
  otherBytes: number;
}

/**
 * Releases the memory of large answers, bodies and computations once a process is idle. V8 collects garbage only on allocation,
 * and a process without requests allocates nothing: it would keep hundreds of megabytes until the next ones.
 */
export function releaseIdleMemory({ everyMs = 10_000 } = {}): void {
  // The flag exposes this function; with `node --expose-gc` every start command would need the option.
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as (options?: object) => void;
  /** After the last collection. */
  let kept: Held | null = readHeld();
  let intervals = intervalsUntilLittle;
  let intervalsSinceReturn = intervalsUntilLittle;
  /** The last collection emptied pages of the heap, which V8 keeps for as long as anything is allocated. */
  let mayReturnPages = false;
  /** The least since the last return of pages. */
  let leastOtherBytes = kept?.otherBytes ?? Number.POSITIVE_INFINITY;
  let last = performance.eventLoopUtilization();
  let lastCpu = process.threadCpuUsage();

  function isWorthIt(held: Held): boolean {
    const grownBytes = held.heapBytes - (kept?.heapBytes ?? 0);
    if (grownBytes >= (intervals < intervalsUntilLittle ? worthBytes : worthBytes / 2)) return true;
    if (held.bufferBytes < worthBytes) return false;
    return held.bufferBytes - (kept?.bufferBytes ?? 0) >= worthBytes || intervals >= intervalsBetween;
  }

  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization, active } = performance.eventLoopUtilization(now, last);
    last = now;
    const { user, system } = process.threadCpuUsage(lastCpu);
    lastCpu = process.threadCpuUsage();
    const hasProcessor = active < activeMinMs || (user + system) / 1_000 >= active * processorMin;
    intervals += 1;
    intervalsSinceReturn += 1;
    const held = readHeld();
    if (held === null || utilization > idleMax || !hasProcessor) return;
    leastOtherBytes = Math.min(leastOtherBytes, held.otherBytes);
    const emptyBytes = held.heapBytes - held.heapUsedBytes;
    const isSmall = held.heapUsedBytes <= returnableBytes && held.bufferBytes <= returnableBytes;
    const isEmpty = mayReturnPages && emptyBytes >= worthBytes / 2;
    if (isSmall && (isEmpty || held.otherBytes - leastOtherBytes >= 2 * worthBytes)) {
      // Apart from the collection before, which freed the garbage, so that neither pause is long.
      collectGarbage({ type: "major", flavor: "last-resort" });
      mayReturnPages = false;
      intervalsSinceReturn = 0;
      // What is not returned now is something else.
      leastOtherBytes = Number.POSITIVE_INFINITY;
    } else if (isWorthIt(held)) {
      collectGarbage();
      // A process with little work soon takes some pages again. Returning them every time would cost more pauses than they are worth.
      const grownBytes = held.heapBytes - (kept?.heapBytes ?? 0);
      mayReturnPages = grownBytes >= 2 * worthBytes || intervalsSinceReturn >= intervalsUntilLittle;
    } else return;
    kept = readHeld() ?? kept;
    intervals = 0;
  }, everyMs).unref();
}

/** Null when it cannot be read: Node opens a file for it, and the process may have no file descriptor left. */
function readHeld(): Held | null {
  try {
    const { rss, arrayBuffers, heapTotal, heapUsed } = process.memoryUsage();
    const otherBytes = rss - heapTotal - arrayBuffers;
    return { bufferBytes: arrayBuffers, heapBytes: heapTotal, heapUsedBytes: heapUsed, otherBytes };
  } catch {
    return null;
  }
}
