/** How traces are assembled. */
export interface AssemblySettings {
  /** A trace of more spans is not read with every export; the sweeper derives it. */
  spansMax: number;
  /** How long a span waits for its parent. */
  orphanGraceMs: number;
  /** How long a large trace shows derived values that are behind. */
  staleDelayMs: number;
  /** How long nothing must have come to a trace for it to settle. */
  settleDelayMs: number;
  /** The same while a root of it has no end. */
  openDelayMs: number;
}

export const assemblySettings: AssemblySettings = {
  spansMax: 2_000,
  orphanGraceMs: 60_000,
  staleDelayMs: 1_000,
  settleDelayMs: 2_000,
  openDelayMs: 60_000,
};
