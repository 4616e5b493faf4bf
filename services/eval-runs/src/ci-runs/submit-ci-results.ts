import type { CiScore } from "@touchstone/contracts";
import { AppError, type Handler, isAppError, requireProject } from "@touchstone/service-kit";
import { metricNames } from "../judging/judge-request.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { SettledResult } from "../results/score-batch.ts";
import type { ResultRow } from "../results/stored-result.ts";
import type { Gradings } from "../runs/gradings.ts";
import { requireRun } from "../runs/run-store.ts";
import { findMisses } from "./assess-result.ts";
import { readCiBody, requireCiRun, runExpired } from "./ci-request.ts";
import { type StoredCiRun, stateOf } from "./ci-run-store.ts";
import { canStillPass, readAnswered } from "./decide-ci-run.ts";
import { type CiFinalizingDependencies, endCiRunIfIdle } from "./finalize-ci-run.ts";
import { readSubmittedCiResults } from "./submitted-ci-results.ts";

/** The batch id of all results of a CI run. */
const batchId = "ci";

/**
 * POST /ingest/ci-runs/{ciRunId}/results (completions 8.3): results are scored as in any run, one per question. If the dataset
 * fails fast, the first result after which the run can no longer pass finalizes it.
 */
export function submitCiResults({
  gradings,
  scorer,
  ...finalizing
}: CiFinalizingDependencies & { gradings: Gradings; scorer: BatchScorer }): Handler {
  const { ciRuns, runs } = finalizing;
  return async (call) => {
    const projectId = requireProject(call);
    const body = await readCiBody(call);
    const ciRun = await requireCiRun(ciRuns, projectId, call.params.ciRunId);
    const { settings, id: runId } = ciRun;
    const { isBulk, results } = readSubmittedCiResults(body, settings.totalQuestions);
    requireOpen(ciRun);

    // The first of two results for one question counts.
    const byKey = new Map(results.toReversed().map((result) => [result.idempotencyKey, result]));
    const unique = results.filter((result) => byKey.get(result.idempotencyKey) === result);
    const grading = await gradings.ofRun(projectId, await requireRun(runs, projectId, runId));
    const { organizationId } = call.identity;
    const scope = { projectId, organizationId, runId, batchId } as const;
    const batch = { ...scope, verdictMode: "live", grading, isExternal: false, results: unique } as const;
    const settled = await scorer.score(batch).catch(async (thrown) => {
      // The run was closed, has expired, or was deleted meanwhile: each has a different answer.
      if (isAppError(thrown) && thrown.code === "conflict") requireOpen(await requireCiRun(ciRuns, projectId, runId));
      throw thrown;
    });

    const scores = results.map((result): CiScore => {
      const { row, isDuplicate } = settled.get(result.idempotencyKey) as SettledResult;
      const isRepeated = isDuplicate || byKey.get(result.idempotencyKey) !== result;
      return composeScore(row, settings.minimums, isRepeated);
    });
    const hasFailed = scores.some((score) => !score.passed);
    const hasFired = settings.failsFast && (await fireGate(finalizing, { projectId, ciRun, hasFailed }));
    const told = scores.map((score) => ({ ...score, gate_fired: hasFired }));
    return { status: 200, body: isBulk ? { scores: told, gate_fired: hasFired } : told[0] };
  };
}

function requireOpen(ciRun: StoredCiRun): void {
  const state = stateOf(ciRun);
  if (state === "expired") throw runExpired();
  if (state !== "open") throw new AppError("conflict", "Run is already in a terminal state");
}

/**
 * Finalizes a run that can no longer pass; false when it still can. Does not wait for other requests that are judging its
 * results: each of them calls this when it is done, whatever its results were, and the last one ends the run.
 */
async function fireGate(
  finalizing: CiFinalizingDependencies,
  { projectId, ciRun, hasFailed }: { projectId: string; ciRun: StoredCiRun; hasFailed: boolean },
): Promise<boolean> {
  const { ciRuns, results } = finalizing;
  if (!hasFailed && stateOf(await requireCiRun(ciRuns, projectId, ciRun.id)) === "open") return false;
  if (canStillPass(await readAnswered(results.pages(projectId, ciRun.id)), ciRun.settings)) return false;
  await endCiRunIfIdle(finalizing, { projectId, ciRun, status: "completed" });
  return true;
}

function composeScore(row: ResultRow, minimums: StoredCiRun["settings"]["minimums"], isRepeated: boolean): CiScore {
  const metrics = metricNames.flatMap(([name]) => (row[name] === undefined ? [] : [[name, row[name]] as const]));
  return {
    question_index: row.questionIndex as number,
    rating: row.rating,
    justification: row.justification,
    passed: findMisses(row, minimums).length === 0,
    gate_fired: false,
    status: row.status,
    metrics: Object.fromEntries(metrics),
    ...(isRepeated && { deduped: true }),
  };
}
