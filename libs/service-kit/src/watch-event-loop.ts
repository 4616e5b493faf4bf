import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Histogram } from "prom-client";
import type { Metrics } from "./metrics.ts";

const sampleEveryMs = 20;
const windowMs = 1_000;

/** Measures how long the event loop of this process was blocked: the longest time within each second. */
export function watchEventLoop({ service, metrics }: { service: string; metrics: Metrics }): void {
  const stalls = new Histogram({
    name: "service_event_loop_stall_seconds",
    help: "Longest time within each second that the event loop did nothing else.",
    labelNames: ["service"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [metrics],
  });
  const delays = monitorEventLoopDelay({ resolution: sampleEveryMs });
  delays.enable();
  let lastMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    // A stall that began just before this was due is in no sample yet, and the reset would lose it: this is late by as much.
    const lateMs = nowMs - lastMs - windowMs;
    lastMs = nowMs;
    // What is measured is the time from one sample to the next.
    stalls.observe({ service }, Math.max(0, delays.max / 1e6 - sampleEveryMs, lateMs) / 1_000);
    delays.reset();
  }, windowMs).unref();
}
