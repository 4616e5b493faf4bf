import { type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";
import type { Logger } from "./logger.ts";
import { createHistogram, type Metrics } from "./metrics.ts";

const sampleEveryMs = 20;
const windowMs = 1_000;
/** A block of this length is logged; shorter ones are in the metric alone. */
const loggedMs = 1_000;

/** The longest block within a window, on the clock of `performance`. */
interface Block {
  startedMs: number;
  blockedMs: number;
  /** Of this time, how long the thread had a processor. */
  processorMs: number;
}

/** A garbage collection, on the same clock. */
type Pause = Pick<PerformanceEntry, "startTime" | "duration">;

/**
 * Measures how long the event loop of this process was blocked: the longest time within each second. Logs a long one with its
 * likely reason: garbage collection, a machine without a free processor, or else code.
 */
export function watchEventLoop({
  service,
  metrics,
  logger,
}: {
  service: string;
  metrics: Metrics;
  logger: Pick<Logger, "warn">;
}): void {
  const stalls = createHistogram(metrics, "service_event_loop_stall_seconds");
  // Not Node's own histogram of delays: after a reset it leaves out what begins before its next sample.
  let sampledMs = performance.now();
  let usedMs = readProcessorMs();
  let longest: Block | null = null;
  let pauses: Pause[] = [];
  new PerformanceObserver((list) => pauses.push(...list.getEntries())).observe({ entryTypes: ["gc"] });
  setInterval(() => {
    const [nowMs, nowUsedMs] = [performance.now(), readProcessorMs()];
    const blockedMs = nowMs - sampledMs - sampleEveryMs;
    if (blockedMs > (longest?.blockedMs ?? 0)) {
      longest = { startedMs: sampledMs, blockedMs, processorMs: nowUsedMs - usedMs };
    }
    sampledMs = nowMs;
    usedMs = nowUsedMs;
  }, sampleEveryMs).unref();
  setInterval(() => {
    const block = longest;
    longest = null;
    stalls.observe({ service }, (block?.blockedMs ?? 0) / 1_000);
    // Node reports a collection after the turn of the loop in which it happened.
    setTimeout(() => {
      if (block !== null && block.blockedMs >= loggedMs) {
        logger.warn(describe(block, pauses), "the event loop was blocked");
      }
      pauses = [];
    }, sampleEveryMs).unref();
  }, windowMs).unref();
}

/** In whole milliseconds. */
function describe({ startedMs, blockedMs, processorMs }: Block, pauses: readonly Pause[]) {
  const within = pauses.filter(({ startTime }) => startTime >= startedMs && startTime <= startedMs + blockedMs);
  const collectingMs = within.reduce((sum, { duration }) => sum + duration, 0);
  return {
    blockedMs: Math.round(blockedMs),
    processorMs: Math.round(processorMs),
    collectingMs: Math.round(collectingMs),
  };
}

/** The processor time of the thread of the event loop. */
function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
