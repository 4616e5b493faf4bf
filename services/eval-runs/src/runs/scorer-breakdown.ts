import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import { type GradingPlan, rowGradersOf } from "../grading/plan.ts";
import type { ResultRow } from "../results/stored-result.ts";
import { type CountedResult, computeLiveStatistics } from "./statistics.ts";

export type ScorerBreakdown = z.infer<typeof run>["scorerBreakdown"];

/** A result whose row tells what each judge said; the row is read only when there are several judges. */
export type BrokenDownResult = CountedResult & { rowText: string };

/**
 * interface: Run, `scorerBreakdown`; decisions: Rated population. Null unless several judges grade the run. The primary
 * stands first: the judge whose rating is the result's, or the group, named `<group> (group)`. Variants are left out. A
 * failed result counts as 0 for every judge, as it does for the run: no judge is kinder to an agent that fails.
 */
export function computeScorerBreakdown(plan: GradingPlan, results: readonly BrokenDownResult[]): ScorerBreakdown {
  const graders = rowGradersOf(plan);
  if (graders.length === 0 && plan.primary.kind === "judge") return null;
  const ratings = results.map((result) => ratingsByScorer(result));
  const count = (ratingOf: (result: BrokenDownResult, index: number) => number | null) => {
    const tallies = results.map((result, index) => ({ ...result, rating: ratingOf(result, index), count: 1 }));
    const { averageRating, ratedCount } = computeLiveStatistics(tallies);
    return { averageRating, scored: ratedCount };
  };
  return [
    { ...identify(plan), primary: true, ...count((result) => result.rating) },
    ...graders.map(({ id, name }) => ({
      scorerId: id,
      name,
      primary: false,
      ...count((result, index) => (result.status === "failed" ? 0 : (ratings[index]?.get(id) ?? null))),
    })),
  ];
}

function identify({ primary }: GradingPlan): { scorerId: string; name: string | null } {
  if (primary.kind === "group") return { scorerId: primary.groupId, name: `${primary.name} (group)` };
  return { scorerId: primary.grader.id, name: primary.grader.name };
}

function ratingsByScorer({ rowText }: BrokenDownResult): Map<string, number | null> {
  const { judgeScorerResults } = JSON.parse(rowText) as Pick<ResultRow, "judgeScorerResults">;
  return new Map((judgeScorerResults ?? []).map(({ scorerId, rating }) => [scorerId, rating]));
}
