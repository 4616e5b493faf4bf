import { deadlines } from "@touchstone/contracts";

/** Time limits of the parts of scoring, in milliseconds. Only tests change them. */
export interface Timings {
  /** One result, from its claim to its row (decision 5: the chain of deadlines). */
  resultMs: number;
  /** A whole batch, including the wait for other requests' claims. */
  batchMs: number;
  /** The part of a result's time that is reserved for storing it. */
  storeMs: number;
  /** The longest wait for an unavailable judge or bus before a result is skipped. */
  outageMs: number;
  /** The longest wait for a linked trace before its result is judged without it. */
  traceMs: number;
  /** A claim without a heartbeat for this long is free. */
  leaseMs: number;
  /** The interval between heartbeats. */
  heartbeatMs: number;
  /** All paraphrases that are made when a run is created. */
  variantsMs: number;
  /** The longest time for batches in progress when the service stops; the process has 10 s in all. */
  stopGraceMs: number;
}

export const defaultTimings: Timings = {
  resultMs: deadlines.resultMs,
  batchMs: deadlines.batchMs,
  storeMs: 2_000,
  // Longer than a rolling restart of the judges (they drain for up to 25 s) or of NATS.
  outageMs: 30_000,
  traceMs: 5_000,
  leaseMs: 15_000,
  heartbeatMs: 5_000,
  variantsMs: deadlines.llmCallMs,
  stopGraceMs: 5_000,
};
