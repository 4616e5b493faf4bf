import { AppError, type Handler } from "@touchstone/service-kit";
import { type RunWithOutline, renderComparison } from "../../gates/compare-runs.ts";
import { readText } from "../../gates/gate-request.ts";
import type { ResultStore } from "../../results/result-store.ts";
import type { RunStore } from "../../runs/run-store.ts";
import { answerPieces } from "../answer-pieces.ts";
import { requireProject } from "../require-project.ts";
import { requireRun } from "../require-run.ts";

/** GET /evaluate/runs/compare (completions 5.7). */
export function compareRuns({ runs, results }: { runs: RunStore; results: ResultStore }): Handler {
  async function read(projectId: string, runId: string): Promise<RunWithOutline> {
    return { run: await requireRun(runs, projectId, runId), outline: await results.outline(projectId, runId) };
  }

  return async (call) => {
    const projectId = requireProject(call);
    const [baselineId, candidateId] = [readText(call.query, "baseline"), readText(call.query, "candidate")];
    if (baselineId === null || candidateId === null) {
      throw new AppError("bad_request", "baseline and candidate run ids are required");
    }
    const [baseline, candidate] = await Promise.all([read(projectId, baselineId), read(projectId, candidateId)]);
    if (baseline.run.datasetId !== candidate.run.datasetId) {
      throw new AppError("bad_request", "The two runs are of different datasets");
    }
    const pagesOf = (ids: readonly string[]) => results.pagesOf(projectId, ids);
    return answerPieces(renderComparison(baseline, candidate, pagesOf, call.signal));
  };
}
