import type { run } from "@touchstone/contracts";
import { runInSlices } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GradingPlan } from "../grading/plan.ts";
import { joinRows } from "../results/join-rows.ts";
import type { ReadResult } from "../results/result-store.ts";
import { estimateRatingInterval } from "../statistics/rating-interval.ts";
import { createRunCounter, type RunCounts } from "./run-counter.ts";
import type { StoredRun } from "./run-store.ts";
import { computeScorerBreakdown } from "./scorer-breakdown.ts";
import { computeLiveStatistics, countResults } from "./statistics.ts";

type Run = z.input<typeof run>;

/**
 * The run as clients read it, as pieces of JSON text (interface: Run): the subject and the rows are put in as the texts
 * they are stored as. The rows come first and are counted as they pass, so that the statistics are of just these rows
 * and nobody holds them all.
 */
export async function* renderRun(
  stored: StoredRun,
  plan: GradingPlan,
  pages: AsyncIterable<readonly ReadResult[]>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const counter = createRunCounter(plan);
  yield '{"results":[';
  yield* joinRows(pages, (result) => {
    counter.add(result);
    return result.rowText;
  });
  const { caseRatings, ...counts } = counter.end();
  const members = {
    ...summarize(stored, plan, counts),
    ratingInterval: await runInSlices(estimateRatingInterval(caseRatings, stored.id), signal),
  };
  yield `],"smokeTestVariants":${stored.smokeTestVariants},${withSubject(members, stored).slice(1)}`;
}

/** The same without results, as a list shows it (completions 5.2). */
export function renderListedRun(stored: StoredRun, plan: GradingPlan, counts: RunCounts): string {
  return withSubject(summarize(stored, plan, counts), stored);
}

type Summary = Omit<Run, "evaluationSubject" | "results" | "ratingInterval" | "smokeTestVariants">;

function summarize(stored: StoredRun, plan: GradingPlan, counts: RunCounts): Summary {
  const liveStatistics = computeLiveStatistics(counts.tallies);
  return {
    _id: stored.id,
    runId: stored.id,
    datasetId: stored.datasetId,
    evaluationSettingsId: stored.evaluationSettingsId,
    scorerGroupId: stored.scorerGroupId,
    additionalScorerIds: stored.additionalScorerIds && [...stored.additionalScorerIds],
    scorerBreakdown: computeScorerBreakdown(plan, counts),
    status: stored.status,
    runSource: stored.runSource,
    verdictMode: stored.verdictMode,
    scoringRevision: stored.scoringRevision,
    resultCount: countResults(counts.tallies),
    averageRating: liveStatistics.averageRating,
    liveStatistics,
    caseStatistics: [...counts.caseStatistics],
    createdAt: stored.createdAt.toISOString(),
  };
}

function withSubject(members: object, { evaluationSubject }: StoredRun): string {
  return `${JSON.stringify(members).slice(0, -1)},"evaluationSubject":${evaluationSubject}}`;
}
