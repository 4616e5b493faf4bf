import { Counter, Gauge, Histogram } from "prom-client";
import type { Metrics } from "../metrics.ts";

/** `failed`: the function threw. `aborted`: its caller no longer waits. */
export type ComputeOutcome = "ok" | "failed" | "timeout" | "memory" | "busy" | "unavailable" | "aborted";

/** Metrics of a pool of threads: its load, and the outcomes of computations. */
export function watchCompute(metrics: Metrics, pool: { name: string; waiting(): number; threads(): number }) {
  new Gauge({
    name: "service_compute_waiting",
    help: "Computations that wait for a thread.",
    labelNames: ["pool"],
    registers: [metrics],
    collect() {
      this.set({ pool: pool.name }, pool.waiting());
    },
  });
  new Gauge({
    name: "service_compute_threads",
    help: "Threads that compute or wait for more.",
    labelNames: ["pool"],
    registers: [metrics],
    collect() {
      this.set({ pool: pool.name }, pool.threads());
    },
  });
  const ended = new Counter({
    name: "service_compute_ended_total",
    help: "Computations that ended, by task and outcome.",
    labelNames: ["pool", "task", "outcome"],
    registers: [metrics],
  });
  const seconds = new Histogram({
    name: "service_compute_seconds",
    help: "How long a thread was occupied with a computation, by task.",
    labelNames: ["pool", "task"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [metrics],
  });
  return {
    onEnded: (task: string, outcome: ComputeOutcome): void => ended.inc({ pool: pool.name, task, outcome }),
    onOccupied: (task: string, ms: number): void => seconds.observe({ pool: pool.name, task }, ms / 1000),
  };
}
