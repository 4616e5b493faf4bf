/** Settings of trace assembly. */
export interface AssemblySettings {
  /** A trace with more spans, or with more log records, is not read on every export; the sweeper derives it. */
  spansMax: number;
  /** How long a span waits for its parent. */
  orphanGraceMs: number;
  /** How long derived values of a large trace may be stale. */
  staleDelayMs: number;
  /** A trace settles after this long without new spans. */
  settleDelayMs: number;
  /** The same while one of its roots has not ended. */
  openDelayMs: number;
}

export const assemblySettings: AssemblySettings = {
  spansMax: 2_000,
  orphanGraceMs: 60_000,
  staleDelayMs: 1_000,
  settleDelayMs: 2_000,
  openDelayMs: 60_000,
};
