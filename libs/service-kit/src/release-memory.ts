import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Less memory than this is not worth a collection. */
const worthBytes = 64 * 1024 * 1024;
/** Buffers in use at one collection may be unused soon after, which nothing shows: the next one follows after this many intervals. */
const intervalsBetween = 4;
/** After this many intervals without a collection, half as much of the heap is worth one. */
const intervalsUntilLittle = 60;
/** Of the last interval. In a busier process the steps in which V8 gives memory back would delay requests. */
const idleMax = 0.3;
/**
 * Of the time that the event loop was active, how much it had a processor at least. Where it has to wait for one, so have the
 * threads that collect: a pause would be many times as long.
 */
const processorMin = 0.7;
/** A machine or a process may be busy for hours: after this many intervals, a lot of memory is worth delays. */
const intervalsUntilMuch = 12;
const muchBytes = 4 * worthBytes;
/** In a process busier than this, the pause over a large heap would delay many requests. */
const busyMax = 0.7;
/** Into so many parts an interval is divided to see that an idle process is busy again. */
const partsOfInterval = 10;
/** The event loop was active for so little time that its share of a processor shows nothing. */
const activeMinMs = 100;

/** What a process has. */
interface Held {
  bufferBytes: number;
  /** Pages, also those with garbage or nothing in them. */
  heapBytes: number;
  /** All but the buffers: the heap, pages that V8 emptied and keeps for later, code, and threads. */
  otherBytes: number;
}

/**
 * Releases the memory of large answers, bodies and computations once a process is idle. V8 collects garbage only on allocation,
 * and a process without requests allocates nothing: it would keep hundreds of megabytes until the next ones.
 *
 * In two ways. V8 itself gives memory back after a collection, in small steps beside the event loop, but not to a process that
 * handles a few requests a second; it does so while memory counts more than speed. In a process that is never idle, that is for one
 * interval at a time, when there is much to give back. An idle process that gets busy stops at once: V8 would collect several times
 * a second. And what V8 does not look at, since nothing was collected, is collected here.
 */
export function releaseIdleMemory({ everyMs = 5_000 } = {}): void {
  // The flag exposes this function; with `node --expose-gc` every start command would need the option.
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  /** After the last collection. */
  let kept: Held | null = readHeld();
  let intervals = intervalsUntilLittle;
  let idleIntervals = 0;
  let intervalsSinceFavored = intervalsUntilMuch;
  let leastOtherBytes = Number.POSITIVE_INFINITY;
  let last = performance.eventLoopUtilization();
  let lastCpu = process.threadCpuUsage();

  function isWorthIt(held: Held, hasProcessor: boolean): boolean {
    const grownBytes = held.heapBytes - (kept?.heapBytes ?? 0);
    if (!hasProcessor) {
      const isMuch = held.bufferBytes >= muchBytes || grownBytes >= muchBytes;
      return isMuch && Math.min(intervals, idleIntervals) >= intervalsUntilMuch;
    }
    // In the first interval V8 may do it by itself, without a pause.
    const mayBeGarbage = idleIntervals > 1;
    if (mayBeGarbage && grownBytes >= (intervals < intervalsUntilLittle ? worthBytes : worthBytes / 2)) return true;
    if (held.bufferBytes < worthBytes) return false;
    return held.bufferBytes - (kept?.bufferBytes ?? 0) >= worthBytes || intervals >= intervalsBetween;
  }

  /** Some of it may be in use, by threads as well. */
  function keepsMuch({ otherBytes }: Held): boolean {
    if (otherBytes - leastOtherBytes < muchBytes || intervalsSinceFavored < intervalsUntilMuch) return false;
    intervalsSinceFavored = 0;
    return true;
  }

  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization, active } = performance.eventLoopUtilization(now, last);
    last = now;
    const { user, system } = process.threadCpuUsage(lastCpu);
    lastCpu = process.threadCpuUsage();
    const hasProcessor = active < activeMinMs || (user + system) / 1_000 >= active * processorMin;
    intervals += 1;
    idleIntervals = utilization <= idleMax ? idleIntervals + 1 : 0;
    intervalsSinceFavored += 1;
    const held = readHeld();
    leastOtherBytes = Math.min(leastOtherBytes, held?.otherBytes ?? leastOtherBytes);
    favorMemory(idleIntervals > 0 || (held !== null && utilization <= busyMax && keepsMuch(held)));
    if (held === null) return;
    // V8 collected by itself.
    if (kept !== null) kept.heapBytes = Math.min(kept.heapBytes, held.heapBytes);
    if (idleIntervals === 0 || !isWorthIt(held, hasProcessor)) return;
    collectGarbage();
    kept = readHeld() ?? kept;
    intervals = 0;
  }, everyMs).unref();
  let lastPart = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, lastPart);
    lastPart = now;
    if (idleIntervals > 0 && utilization > busyMax) favorMemory(false);
  }, everyMs / partsOfInterval).unref();
  // Node caches compiled code under the flags of the moment, and writes some of it when it exits.
  process.once("exit", () => favorMemory(false));
}

let isMemoryFavored = false;

/** V8 takes the process for one whose memory counts more than its speed. Its memory reducer then does not wait for a silent one. */
function favorMemory(isFavored: boolean): void {
  if (isFavored === isMemoryFavored) return;
  isMemoryFavored = isFavored;
  setFlagsFromString(isFavored ? "--optimize-for-size" : "--no-optimize-for-size");
}

/** Null when it cannot be read: Node opens a file for it, and the process may have no file descriptor left. */
function readHeld(): Held | null {
  try {
    const { arrayBuffers, heapTotal, rss } = process.memoryUsage();
    return { bufferBytes: arrayBuffers, heapBytes: heapTotal, otherBytes: rss - arrayBuffers };
  } catch {
    return null;
  }
}
