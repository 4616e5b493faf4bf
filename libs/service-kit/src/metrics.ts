import { Registry } from "prom-client";

/** A separate registry for each service: several live in one process, and a global one would mix them. */
export type Metrics = Registry;

export function createMetrics(): Metrics {
  return new Registry();
}
