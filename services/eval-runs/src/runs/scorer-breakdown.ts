import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import { type GradingPlan, rowGradersOf } from "../grading/plan.ts";
import { computeLiveStatistics, computeRatingHistogram, type ResultTally } from "../statistics/result-tally.ts";
import type { RunCounts } from "./run-counter.ts";

export type ScorerBreakdown = z.infer<typeof run>["scorerBreakdown"];

/**
 * interface: Run, `scorerBreakdown`; completions 5.10. Null unless several judges grade the run. The primary comes first: the
 * judge whose rating is the result's, or the group, named `<group> (group)`. Variants are left out.
 */
export function computeScorerBreakdown(
  plan: GradingPlan,
  { tallies, graderTallies }: Pick<RunCounts, "tallies" | "graderTallies">,
): ScorerBreakdown {
  const graders = rowGradersOf(plan);
  if (graders.length === 0 && plan.primary.kind === "judge") return null;
  return [
    { ...identify(plan), primary: true, ...average(tallies) },
    ...graders.map(({ id, name }, index) => ({
      scorerId: id,
      name,
      primary: false,
      ...average(graderTallies[index] ?? []),
    })),
  ];
}

function average(
  tallies: readonly ResultTally[],
): Omit<NonNullable<ScorerBreakdown>[number], "scorerId" | "name" | "primary"> {
  const { averageRating, ratedCount } = computeLiveStatistics(tallies);
  return { averageRating, scored: ratedCount, ratingHistogram: computeRatingHistogram(tallies) };
}

function identify({ primary }: GradingPlan): { scorerId: string; name: string | null } {
  if (primary.kind === "group") return { scorerId: primary.groupId, name: `${primary.name} (group)` };
  return { scorerId: primary.grader.id, name: primary.grader.name };
}
