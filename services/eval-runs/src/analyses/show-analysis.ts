import type { analysisStatus, report } from "@touchstone/contracts";
import type { z } from "zod";
import { joinRows } from "../results/result-page-reader.ts";
import type { OutlinedResult, ReadResult } from "../results/result-store.ts";
import type { StoredRun } from "../runs/run-store.ts";
import type { StoredAnalysis } from "./analysis-store.ts";
import { computeReportStatistics, findLowScoring, selectRated, showLowScoring } from "./report-statistics.ts";

type Status = z.input<typeof analysisStatus>;
type Report = z.input<typeof report>;

const brokenOff = "The analysis was broken off. Start it again.";

/** The state of an analysis, as clients read it (completions 5.9); null = none was ever started. */
export function showAnalysisStatus(run: StoredRun, analysis: StoredAnalysis | null): Status {
  const status = statusOf(analysis);
  return {
    evaluationId: run.id,
    jobId: analysis === null ? null : run.id,
    status,
    progress: { overallPercentage: percentageOf(status, analysis), currentLevel: null, levels: {} },
    failureReason: status === "failed" ? explainFailure(analysis?.last?.outcome.failure ?? brokenOff) : null,
    stale: isStale(run, analysis),
    warnings: [],
    cost: { estimatedUSD: null },
    etaUpdatedAt: null,
    overflowStats: { compressedItems: 0, maxCompressionRatio: null, tokenOverflowCount: 0, recursiveSplitCount: 0 },
  };
}

/**
 * The report of a run (interface: Report) from its last analysis, as pieces of JSON text. Statistics and low-scoring cases are
 * computed from the current results; `pagesOf` reads the texts of the results with these ids.
 */
export async function* renderReport(
  run: StoredRun,
  analysis: NonNullable<StoredAnalysis["last"]>,
  results: readonly OutlinedResult[],
  pagesOf: (ids: readonly string[]) => AsyncIterable<readonly ReadResult[]>,
): AsyncGenerator<string> {
  const rated = selectRated(results);
  const { narrative, failure } = analysis.outcome;
  const members: Omit<Report, "lowScoringCases"> = {
    ...(narrative !== null && { ...narrative, instructionChanges: [] }),
    runId: run.id,
    datasetId: run.datasetId,
    status: analysis.status,
    statistics: computeReportStatistics(rated),
    failureReason: failure === null ? null : explainFailure(failure),
    stale: analysis.scoringRevision < run.scoringRevision,
  };
  yield `${JSON.stringify(members).slice(0, -1)},"lowScoringCases":[`;
  yield* joinRows(pagesOf(findLowScoring(rated).map(({ id }) => id)), (result) =>
    JSON.stringify(showLowScoring(result)),
  );
  yield "]}";
}

function statusOf(analysis: StoredAnalysis | null): Status["status"] {
  if (analysis === null) return "not_started";
  if (analysis.progress !== null) return "running";
  return analysis.last?.status ?? "failed";
}

function percentageOf(status: Status["status"], analysis: StoredAnalysis | null): number {
  if (status === "running") return Math.round(100 * (analysis?.progress ?? 0));
  return status === "completed" ? 100 : 0;
}

function isStale(run: StoredRun, analysis: StoredAnalysis | null): boolean {
  const last = analysis?.last ?? null;
  return last !== null && last.scoringRevision < run.scoringRevision;
}

const explainFailure = (message: string) => ({ code: "ANALYSIS_FAILED" as const, message, retryable: true as const });
