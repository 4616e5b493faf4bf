import type { run } from "@touchstone/contracts";
import { runInSlices } from "@touchstone/service-kit";
import type { z } from "zod";
import type { GradingPlan } from "../grading/plan.ts";
import { joinRows } from "../results/result-page-reader.ts";
import type { ReadResult } from "../results/result-store.ts";
import { estimateRatingInterval } from "../statistics/rating-interval.ts";
import { computeLiveStatistics, computeRatingHistogram, countResults } from "../statistics/result-tally.ts";
import { createRunCounter, type RowCounts, type RunCounts } from "./run-counter.ts";
import type { StoredRun } from "./run-store.ts";
import { computeScorerBreakdown } from "./scorer-breakdown.ts";

type Run = z.input<typeof run>;

/**
 * The run as clients read it, as pieces of JSON text (interface: Run): the subject and the rows are inserted as stored texts.
 * The rows come first and are counted on the way, so that the statistics match exactly these rows without keeping them in
 * memory.
 */
export async function* renderRun(
  shown: ShownRun,
  pages: AsyncIterable<readonly ReadResult[]>,
  { withCaseStatistics, signal }: { withCaseStatistics: boolean; signal: AbortSignal },
): AsyncGenerator<string> {
  const counter = createRunCounter(shown.plan);
  yield '{"results":[';
  yield* joinRows(pages, (result) => {
    counter.add(result);
    return showResult(result);
  });
  const counts = counter.end();
  const ratingInterval = await runInSlices(estimateRatingInterval(counts.caseRatings, shown.stored.id), signal);
  yield `],${renderFigures(shown, counts, ratingInterval, withCaseStatistics).slice(1)}`;
}

/** The same for a run without results. */
export function renderRunAlone(...figures: Parameters<typeof renderFigures>): string {
  return `{"results":[],${renderFigures(...figures).slice(1)}`;
}

function renderFigures(
  shown: ShownRun,
  counts: RowCounts,
  ratingInterval: Run["ratingInterval"],
  withCaseStatistics: boolean,
): string {
  const { stored } = shown;
  const { skips, metrics } = counts;
  const summary = summarize(shown, counts, ratingInterval);
  const members = { ...summary, ...(!withCaseStatistics && { caseStatistics: [] }), skips, metrics };
  return `{"smokeTestVariants":${stored.smokeTestVariants},${withSubject(members, stored).slice(1)}`;
}

/** The same without results, as it is listed (completions 5.2). */
export function renderListedRun(
  shown: ShownRun,
  counts: RunCounts,
  ratingInterval: Run["ratingInterval"],
  withCaseStatistics: boolean,
): string {
  const summary = summarize(shown, counts, ratingInterval);
  return withSubject({ ...summary, ...(!withCaseStatistics && { caseStatistics: [] }) }, shown.stored);
}

/** A result as a run shows it: the stored row, preceded by its id and skip reason. */
export function showResult({ id, skipReason, rowText }: ReadResult): string {
  return `{"_id":${JSON.stringify(id)},"skipCode":${JSON.stringify(skipReason)},${rowText.slice(1)}`;
}

/** A run with the values shown besides its counts. */
export interface ShownRun {
  stored: StoredRun;
  plan: GradingPlan;
  datasetName: string | null;
  askedCount: number | null;
}

type Summary = Omit<Run, "evaluationSubject" | "results" | "smokeTestVariants" | "skips" | "metrics">;

function summarize(
  { stored, plan, datasetName, askedCount }: ShownRun,
  counts: RunCounts,
  ratingInterval: Run["ratingInterval"],
): Summary {
  const liveStatistics = computeLiveStatistics(counts.tallies);
  return {
    _id: stored.id,
    runId: stored.id,
    datasetId: stored.datasetId,
    datasetName,
    datasetVersion: stored.datasetVersion,
    evaluationSettingsId: stored.evaluationSettingsId,
    scorerGroupId: stored.scorerGroupId,
    additionalScorerIds: stored.additionalScorerIds && [...stored.additionalScorerIds],
    scorerBreakdown: computeScorerBreakdown(plan, counts),
    status: stored.status,
    runSource: stored.runSource,
    verdictMode: stored.verdictMode,
    scoringRevision: stored.scoringRevision,
    resultCount: countResults(counts.tallies),
    askedCount,
    averageRating: liveStatistics.averageRating,
    ratingInterval,
    ratingHistogram: computeRatingHistogram(counts.tallies),
    liveStatistics,
    caseStatistics: [...counts.caseStatistics],
    createdAt: stored.createdAt.toISOString(),
  };
}

function withSubject(members: object, { evaluationSubject }: StoredRun): string {
  return `${JSON.stringify(members).slice(0, -1)},"evaluationSubject":${evaluationSubject}}`;
}
