import { deadlines } from "@touchstone/contracts";

/** How long the parts of scoring may take, in milliseconds. Tests shorten them; nothing else changes them. */
export interface Timings {
  /** One result, from its claim to its row (decision 5: the chain of deadlines). */
  resultMs: number;
  /** A whole batch, waiting for other requests' claims included. */
  batchMs: number;
  /** The part of a result's time that is kept for storing it. */
  storeMs: number;
  /** How long an absent judge or bus is waited for before a result is skipped. */
  outageMs: number;
  /** How long a linked trace is waited for before its result is judged without it. */
  traceMs: number;
  /** A claim whose holder shows no sign of life for this long is free. */
  leaseMs: number;
  /** How often a holder shows one. */
  heartbeatMs: number;
  /** All paraphrases that are made when a run is created. */
  variantsMs: number;
  /** How long batches in hand may go on when the service stops; the process has 10 s in all. */
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
