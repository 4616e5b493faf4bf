import type { tracesJudged } from "@touchstone/contracts";
import type { z } from "zod";

type TraceJudgeScores = NonNullable<z.infer<typeof tracesJudged.body>["traces"][number]["judgeScores"]>;

/** The last verdict of one scorer on a trace. */
export interface ScorerVerdict {
  /** `online-eval:<id>`, `scorer-group:<id>`, `custom-scorer:<id>`, or `external:<name>`. */
  scorerKey: string;
  scorerName: string;
  isGroup: boolean;
  rating: number;
  /** Null: it never alerts. */
  threshold: number | null;
}

/**
 * The summary of a trace's verdicts (completions 2.3), in the given order; null when none of our scorers rated it. The headline
 * is a scorer group if there is one; else, and among several groups, the failing verdict that is furthest below its threshold,
 * else the lowest rating. External evaluations are not included.
 */
export function judgeScoresOf(all: readonly ScorerVerdict[]): TraceJudgeScores | null {
  const verdicts = all.filter(({ scorerKey }) => !scorerKey.startsWith("external:"));
  const groups = verdicts.filter(({ isGroup }) => isGroup);
  const headline = worstOf(groups.length > 0 ? groups : verdicts);
  if (headline === null) return null;
  const { rating, threshold, scorerName, isGroup } = headline;
  return {
    rating,
    threshold,
    scorerName: isGroup ? `${scorerName} (group)` : scorerName,
    judgeCount: verdicts.length,
    failingCount: verdicts.filter(isFailing).length,
    verdicts: verdicts.map((verdict) => ({
      scorerName: verdict.scorerName,
      rating: verdict.rating,
      threshold: verdict.threshold,
      failing: isFailing(verdict),
      ...(verdict.isGroup && { isGroup: true as const }),
    })),
  };
}

/** A rating equal to its threshold passes. */
export function isFailing({ rating, threshold }: Pick<ScorerVerdict, "rating" | "threshold">): boolean {
  return threshold !== null && rating < threshold;
}

function worstOf(verdicts: readonly ScorerVerdict[]): ScorerVerdict | null {
  const failing = verdicts.filter(isFailing);
  if (failing.length > 0) return least(failing, ({ rating, threshold }) => rating - (threshold ?? rating));
  return least(verdicts, ({ rating }) => rating);
}

/** The first verdict with the least value. */
function least(verdicts: readonly ScorerVerdict[], sizeOf: (verdict: ScorerVerdict) => number): ScorerVerdict | null {
  return verdicts.reduce<ScorerVerdict | null>(
    (best, verdict) => (best === null || sizeOf(verdict) < sizeOf(best) ? verdict : best),
    null,
  );
}
