import type { finalizeRunReply } from "@touchstone/contracts";
import { AppError, type Handler, isUuid, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { refuseCiRun } from "../../ci-runs/refuse-ci-run.ts";
import type { ResultStore } from "../../results/result-store.ts";
import { type FinalizingDependencies, finalizeRun as finalize } from "../../runs/finalize-run.ts";
import type { TerminalStatus } from "../../runs/run-store.ts";
import { computeLiveStatistics, countResults } from "../../statistics/result-tally.ts";

/** POST /custom-agent-evaluations/runs/{runId}/finalize (completions 5.4). */
export function finalizeRun({
  results,
  ciRuns,
  ...finalizing
}: FinalizingDependencies & { results: ResultStore; ciRuns: Pick<CiRunStore, "exists"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    const status = readStatus((await readJsonObject(call)).value.status);
    if (isUuid(runId)) await refuseCiRun(ciRuns, projectId, runId);
    const run = isUuid(runId) ? await finalize(finalizing, { projectId, runId, status }) : null;
    const progress = run && (await results.readProgress(projectId, runId));
    if (run === null || progress === null) throw new AppError("not_found", "Run not found");

    const liveStatistics = computeLiveStatistics(progress.tallies);
    const reply: z.input<typeof finalizeRunReply> = {
      runId,
      _id: runId,
      datasetId: run.datasetId,
      status: progress.status,
      resultCount: countResults(progress.tallies),
      averageRating: liveStatistics.averageRating,
      liveStatistics,
    };
    return { status: 200, body: reply };
  };
}

function readStatus(status: unknown): TerminalStatus {
  if (status === undefined || status === null) return "completed";
  if (status === "completed" || status === "failed") return status;
  throw new AppError("bad_request", 'status must be "completed" or "failed"');
}
