import { limits, type submitResultsReply } from "@touchstone/contracts";
import {
  AppError,
  createBoundedCache,
  elementsOf,
  type Handler,
  isAppError,
  isJsonObject,
  type JsonObject,
  memberText,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { GroupStore } from "../graders/group-store.ts";
import { externalSource } from "../judging/judgement.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { ResultStore } from "../results/result-store.ts";
import type { SettledResult } from "../results/score-batch.ts";
import { composeScoredResult } from "../results/stored-result.ts";
import { readSubmittedResult } from "../results/submitted-result.ts";
import { computeLiveStatistics } from "../statistics/result-tally.ts";
import type { RefuseCiRun } from "./finalize-run.ts";
import type { GradedRun, Gradings } from "./gradings.ts";
import { type RunStore, requireRun, type StoredRun } from "./run-store.ts";

type Reply = z.input<typeof submitResultsReply>;

/** The values of a run that a batch needs. Of a run that is not external they never change. */
type OpenRun = GradedRun & Pick<StoredRun, "verdictMode" | "runSource">;

/** For the keys of cached runs that have had a batch: about ten thousand. */
const plainRunCharsMax = 1024 * 1024;

const keyOf = (projectId: string, runId: string): string => `${projectId}/${runId}`;

/**
 * POST /custom-agent-evaluations/runs/{runId}/results (completions 5.3). A disconnect of the caller stops nothing: the batch is
 * scored and stored, and sending it again returns the stored results. A run is read for its first batch; for later ones the
 * claims reveal whether it still exists and is open, unless a scorer group grades it or it belongs to a CI run.
 */
export function submitResults({
  runs,
  results,
  gradings,
  groups,
  refuseCiRun,
  scorer,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
  groups: Pick<GroupStore, "exists">;
  refuseCiRun: RefuseCiRun;
  scorer: BatchScorer;
}): Handler {
  const plainRuns = createBoundedCache<OpenRun>(plainRunCharsMax);

  async function requireOpenRun(projectId: string, runId: string): Promise<OpenRun> {
    const run = await requireRun(runs, projectId, runId);
    if (run.runSource === "ci") await refuseCiRun(projectId, runId);
    if (run.status !== "in_progress" || run.closingAs !== null) {
      throw new AppError("conflict", "Run is already in a terminal state");
    }
    if (run.scorerGroupId !== null && !(await groups.exists(projectId, run.scorerGroupId))) {
      throw new AppError("conflict", "The scorer group grading this run no longer exists");
    }
    const { id, datasetId, datasetVersion, planRevision, verdictMode, runSource } = run;
    const open = { id, datasetId, datasetVersion, planRevision, verdictMode, runSource };
    if (runSource !== "ci" && runSource !== externalSource && run.scorerGroupId === null) {
      const key = keyOf(projectId, runId);
      plainRuns.set(key, open, key.length);
    }
    return open;
  }

  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const { batchId, sent } = readBatch(await readJsonObject(call));
    const run = plainRuns.get(keyOf(projectId, runId)) ?? (await requireOpenRun(projectId, runId));
    const isExternal = run.runSource === externalSource;
    const submitted = sent.map(({ value, text }) => readSubmittedResult(value, text, { isExternal }));
    const valid = submitted.filter((result) => result !== null);
    // The first of two results with one key counts (completions 5.3).
    const byKey = new Map(valid.toReversed().map((result) => [result.idempotencyKey, result]));
    const unique = valid.filter((result) => byKey.get(result.idempotencyKey) === result);
    // Claims are taken under the run's lock, which checks that it exists and is open; without claims the run must be read.
    if (unique.length === 0) await requireOpenRun(projectId, runId);
    const grading = await gradings.ofRun(projectId, run);
    const { organizationId } = call.identity;
    const { verdictMode } = run;
    const batch = { projectId, organizationId, runId, batchId, verdictMode, grading, isExternal, results: unique };
    const settled = await scorer.score(batch).catch(async (thrown) => {
      // A run that was deleted meanwhile accepts no results either, but its answer is 404.
      if (isAppError(thrown) && thrown.code === "conflict") await requireRun(runs, projectId, runId);
      throw thrown;
    });

    let accepted = 0;
    const scoredResults = valid.map((result): Reply["scoredResults"][number] => {
      const { row, isDuplicate } = settled.get(result.idempotencyKey) as SettledResult;
      const scored = composeScoredResult(result.idempotencyKey, row);
      if (isDuplicate || byKey.get(result.idempotencyKey) !== result) return { ...scored, deduped: true };
      accepted += 1;
      return scored;
    });
    const progress = await results.readProgress(projectId, runId);
    if (progress === null) throw new AppError("not_found", "Run not found");
    const reply: Reply = {
      runId,
      batchId,
      accepted,
      duplicates: valid.length - accepted,
      failedValidation: submitted.length - valid.length,
      status: progress.status,
      scoredResults,
      liveStatistics: computeLiveStatistics(progress.tallies),
    };
    return { status: 200, body: reply };
  };
}

/** Reads a batch, or refuses it as a whole (interface: POST runs/{runId}/results, Errors): each result as value and as text. */
function readBatch({ text, value }: JsonObject): { batchId: string; sent: { value: unknown; text: string }[] } {
  const { batchId, results } = value;
  if (typeof batchId !== "string" || batchId === "") refuse("batchId must be a non-empty string");
  if (!Array.isArray(results) || results.length === 0) refuse("results must be a non-empty array");
  if (results.length > limits.resultsPerBatchMax) {
    refuse(`Batch size must not exceed ${limits.resultsPerBatchMax}`);
  }
  if (!results.every(isJsonObject)) refuse("Every results entry must be an object");
  const texts = elementsOf(memberText(text, "results") as string);
  return { batchId, sent: results.map((result, index) => ({ value: result, text: texts[index] as string })) };
}

function refuse(message: string): never {
  throw new AppError("bad_request", message);
}
