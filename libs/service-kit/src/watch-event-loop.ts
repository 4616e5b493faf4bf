import { performance } from "node:perf_hooks";
import { createHistogram, type Metrics } from "./metrics.ts";

const sampleEveryMs = 20;
const windowMs = 1_000;

/** Measures how long the event loop of this process was blocked: the longest time within each second. */
export function watchEventLoop({ service, metrics }: { service: string; metrics: Metrics }): void {
  const stalls = createHistogram(metrics, "service_event_loop_stall_seconds");
  // Not Node's own histogram of delays: after a reset it leaves out what begins before its next sample.
  let sampledMs = performance.now();
  let longestMs = 0;
  setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - sampledMs - sampleEveryMs);
    sampledMs = nowMs;
  }, sampleEveryMs).unref();
  setInterval(() => {
    stalls.observe({ service }, longestMs / 1_000);
    longestMs = 0;
  }, windowMs).unref();
}
