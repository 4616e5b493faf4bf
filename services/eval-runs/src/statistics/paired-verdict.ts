import type { PairedDifference } from "./paired-difference.ts";

/** What a comparison comes to (completions 5.6). */
export type PairedOutcome = "regressed" | "improved" | "no_evidence" | "undecided";

export interface PairedVerdict {
  outcome: PairedOutcome;
  /** About how many more cases would decide; only when undecided, and null where nothing can be said yet. */
  moreCases: number | null;
}

/** The least mean difference, in rating points, that is worth a verdict. */
export const defaultMinEffect = 0.5;

const moreCasesMax = 100_000;

/**
 * Decides on an interval. A regression is one that is both certain (the interval lies below 0) and large enough to
 * matter; a certain but smaller one, and an interval within the margin, are evidence that nothing that matters
 * happened. The rest is undecided: the interval is too wide. Null = too few cases for an interval.
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
 * The width of an interval falls with the square root of the cases. It decides once it leaves out 0 or fits into the
 * margin, whichever of the two the present difference is nearer to.
 */
function estimateMoreCases({ cases, difference, low, high }: PairedDifference, minEffect: number): number {
  const halfWidth = (high - low) / 2;
  const distance = Math.abs(difference);
  const wanted = Math.max(distance, minEffect - distance);
  const needed = Math.ceil(cases * (halfWidth / wanted) ** 2);
  return Math.min(moreCasesMax, Math.max(1, needed - cases));
}
