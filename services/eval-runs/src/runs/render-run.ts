import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import type { ReadResult } from "../results/result-store.ts";
import type { StoredRun } from "./run-store.ts";
import { computeCaseStatistics, computeLiveStatistics, countResults } from "./statistics.ts";

type Run = z.input<typeof run>;

/**
 * The run as clients read it, as JSON text (interface: Run): the subject and the rows are put in as the texts they are
 * stored as.
 */
export function renderRun(stored: StoredRun, results: readonly ReadResult[]): string {
  const tallies = results.map((result) => ({ ...result, count: 1 }));
  const liveStatistics = computeLiveStatistics(tallies);
  const members: Omit<Run, "evaluationSubject" | "results"> = {
    _id: stored.id,
    runId: stored.id,
    datasetId: stored.datasetId,
    evaluationSettingsId: null,
    scorerGroupId: null,
    additionalScorerIds: null,
    scorerBreakdown: null,
    status: stored.status,
    runSource: stored.runSource,
    resultCount: countResults(tallies),
    averageRating: liveStatistics.averageRating,
    liveStatistics,
    caseStatistics: computeCaseStatistics(results),
    createdAt: stored.createdAt.toISOString(),
  };
  const rows = results.map((result) => result.rowText).join(",");
  return `${JSON.stringify(members).slice(0, -1)},"evaluationSubject":${stored.evaluationSubject},"results":[${rows}]}`;
}
