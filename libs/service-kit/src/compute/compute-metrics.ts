import { createCounter, createGauge, createHistogram, type Metrics } from "../metrics.ts";

/** `failed`: the function threw. `aborted`: its caller no longer waits. */
export type ComputeOutcome = "ok" | "failed" | "timeout" | "memory" | "busy" | "unavailable" | "aborted";

/** Metrics of a pool of threads: its load, and the outcomes of computations. */
export function watchCompute(metrics: Metrics, pool: { name: string; waiting(): number; threads(): number }) {
  createGauge(metrics, "service_compute_waiting", (gauge) => gauge.set({ pool: pool.name }, pool.waiting()));
  createGauge(metrics, "service_compute_threads", (gauge) => gauge.set({ pool: pool.name }, pool.threads()));
  const ended = createCounter(metrics, "service_compute_ended_total");
  const seconds = createHistogram(metrics, "service_compute_seconds");
  return {
    onEnded: (task: string, outcome: ComputeOutcome): void => ended.inc({ pool: pool.name, task, outcome }),
    onOccupied: (task: string, ms: number): void => seconds.observe({ pool: pool.name, task }, ms / 1000),
  };
}
