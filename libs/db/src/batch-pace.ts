/** How long a batch should take. */
const batchMs = 100;
/** After a shorter batch the next one begins at once. */
const unpausedMs = 20;
const pauseMaxMs = 1_000;

/** Sizes the batches of one removal. */
export interface BatchPace {
  /** The number of rows that the next batch may have. */
  rows(): number;
  /** Sizes the next batch by how long one took. Returns how many milliseconds to wait before it. */
  record(tookMs: number): number;
}

/**
 * Makes each batch as large as takes about a tenth of a second: a row may be a hundred bytes or ten megabytes. A pause as long
 * follows it: a removal must not slow down other projects.
 */
export function createBatchPace({ rowsFirst, rowsMax }: { rowsFirst: number; rowsMax: number }): BatchPace {
  let rows = rowsFirst;
  return {
    rows: () => rows,
    record(tookMs) {
      rows = tookMs > batchMs ? Math.ceil(rows / 2) : Math.min(2 * rows, rowsMax);
      return tookMs > unpausedMs ? Math.min(tookMs, pauseMaxMs) : 0;
    },
  };
}
