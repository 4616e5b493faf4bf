import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import type { GradingPlan } from "../grading/plan.ts";
import type { ReadResult } from "../results/result-store.ts";
import { estimateRatingInterval } from "../statistics/rating-interval.ts";
import type { StoredRun } from "./run-store.ts";
import { type BrokenDownResult, computeScorerBreakdown } from "./scorer-breakdown.ts";
import { computeCaseRatings, computeCaseStatistics, computeLiveStatistics, countResults } from "./statistics.ts";

type Run = z.input<typeof run>;

/**
 * The run as clients read it, as JSON text (interface: Run): the subject and the rows are put in as the texts they are
 * stored as.
 */
export function renderRun(stored: StoredRun, plan: GradingPlan, results: readonly ReadResult[]): string {
  const members = {
    ...summarize(stored, plan, results),
    ratingInterval: estimateRatingInterval(computeCaseRatings(results), stored.id),
  };
  const rows = results.map((result) => result.rowText).join(",");
  return `${withSubject(members, stored).slice(0, -1)},"smokeTestVariants":${stored.smokeTestVariants},"results":[${rows}]}`;
}

/** The same without results, as a list shows it (completions 5.2). */
export function renderListedRun(stored: StoredRun, plan: GradingPlan, results: readonly BrokenDownResult[]): string {
  return withSubject(summarize(stored, plan, results), stored);
}

type Summary = Omit<Run, "evaluationSubject" | "results" | "ratingInterval" | "smokeTestVariants">;

function summarize(stored: StoredRun, plan: GradingPlan, results: readonly BrokenDownResult[]): Summary {
  const tallies = results.map((result) => ({ ...result, count: 1 }));
  const liveStatistics = computeLiveStatistics(tallies);
  return {
    _id: stored.id,
    runId: stored.id,
    datasetId: stored.datasetId,
    evaluationSettingsId: stored.evaluationSettingsId,
    scorerGroupId: stored.scorerGroupId,
    additionalScorerIds: stored.additionalScorerIds && [...stored.additionalScorerIds],
    scorerBreakdown: computeScorerBreakdown(plan, results),
    status: stored.status,
    runSource: stored.runSource,
    verdictMode: stored.verdictMode,
    scoringRevision: stored.scoringRevision,
    resultCount: countResults(tallies),
    averageRating: liveStatistics.averageRating,
    liveStatistics,
    caseStatistics: computeCaseStatistics(results),
    createdAt: stored.createdAt.toISOString(),
  };
}

function withSubject(members: object, { evaluationSubject }: StoredRun): string {
  return `${JSON.stringify(members).slice(0, -1)},"evaluationSubject":${evaluationSubject}}`;
}
