import type { PairedDifference } from "./paired-difference.ts";

/** The outcome of a comparison (completions 5.6). */
export type PairedOutcome = "regressed" | "improved" | "no_evidence" | "undecided";

export interface PairedVerdict {
  outcome: PairedOutcome;
  /**
   * The approximate number of further cases that would decide; only when undecided, and null if no estimate is possible.
   */
  moreCases: number | null;
}

/** The least relevant mean difference, in rating points. */
export const defaultMinEffect = 0.5;

const moreCasesMax = 100_000;

/**
 * Decides on an interval. A regression is both certain (the interval is below 0) and large enough to matter; a certain but
 * smaller difference, and an interval within the margin, are evidence of no relevant difference. Otherwise the interval is too
 * wide, and the outcome is undecided. Null = too few cases for an interval.
 */
export function decidePaired(compared: PairedDifference | null, minEffect: number): PairedVerdict {
  if (compared === null) return { outcome: "undecided", moreCases: null };
  const { difference, low, high } = compared;
  if (high < 0 || low > 0) {
    if (Math.abs(difference) < minEffect) return { outcome: "no_evidence", moreCases: null };
    return { outcome: high < 0 ? "regressed" : "improved", moreCases: null };
  }
  if (low > -minEffect && high < minEffect) return { outcome: "no_evidence", moreCases: null };
  return { outcome: "undecided", moreCases: estimateMoreCases(compared, minEffect) };
}

/**
 * The width of an interval falls with the square root of the cases. It decides once it excludes 0 or fits into the margin,
 * whichever the present difference is nearer to.
 */
function estimateMoreCases({ cases, difference, low, high }: PairedDifference, minEffect: number): number {
  const halfWidth = (high - low) / 2;
  const distance = Math.abs(difference);
  const wanted = Math.max(distance, minEffect - distance);
  const needed = Math.ceil(cases * (halfWidth / wanted) ** 2);
  return Math.min(moreCasesMax, Math.max(1, needed - cases));
}
