import { monitorEventLoopDelay } from "node:perf_hooks";
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
  setInterval(() => {
    // What is measured is the time from one sample to the next.
    stalls.observe({ service }, Math.max(0, delays.max / 1e6 - sampleEveryMs) / 1_000);
    delays.reset();
  }, windowMs).unref();
}
