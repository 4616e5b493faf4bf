import { AppError, type Handler, requireProject } from "@touchstone/service-kit";
import { stateOf } from "../../ci-runs/ci-run-state.ts";
import { type CiFinalizingDependencies, finalizeCiRun as finalize } from "../../ci-runs/finalize-ci-run.ts";
import { readCiBody } from "../../ci-runs/read-ci-body.ts";
import { renderVerdict } from "../../ci-runs/render-ci-run.ts";
import { requireCiRun, runExpired } from "../../ci-runs/require-ci-run.ts";
import { answerPieces } from "../../json/answer-pieces.ts";
import type { Gradings } from "../../runs/gradings.ts";

/** POST /ingest/ci-runs/{ciRunId}/finalize (completions 8.4): every caller is answered the one stored verdict. */
export function finalizeCiRun({ gradings, ...finalizing }: CiFinalizingDependencies & { gradings: Gradings }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { ciRunId } = call.params;
    await readCiBody(call);
    let ciRun = await requireCiRun(finalizing.ciRuns, projectId, ciRunId);
    const state = stateOf(ciRun);
    if (state === "expired") throw runExpired();
    if (state !== "decided") {
      await finalize(finalizing, { projectId, ciRun });
      ciRun = await requireCiRun(finalizing.ciRuns, projectId, ciRunId);
      // It expired first.
      if (stateOf(ciRun) === "expired") throw runExpired();
    }
    const { verdict, finalizedAt } = ciRun;
    if (verdict === null || finalizedAt === null) {
      throw new AppError("service_unavailable", "The run is still being finalized; retry.");
    }
    const run = await finalizing.runs.find(projectId, ciRun.id);
    const cases = run === null ? [] : (await gradings.ofRun(projectId, run)).cases;
    const pages = finalizing.results.pages(projectId, ciRun.id);
    return answerPieces(renderVerdict({ ...ciRun, verdict, finalizedAt }, pages, cases));
  };
}
