import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { renderCiRunDetail } from "../../ci-runs/render-ci-run.ts";
import { requireCiRun } from "../../ci-runs/require-ci-run.ts";
import type { Gradings } from "../../runs/gradings.ts";
import type { RunStore } from "../../runs/run-store.ts";

/** GET /ingest/ci-runs/{ciRunId} (completions 8.4). */
export function getCiRun({
  ciRuns,
  runs,
  gradings,
}: {
  ciRuns: CiRunStore;
  runs: Pick<RunStore, "find">;
  gradings: Pick<Gradings, "ofRun">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const ciRun = await requireCiRun(ciRuns, projectId, call.params.ciRunId);
    const run = ciRun.verdict?.violations.length ? await runs.find(projectId, ciRun.id) : null;
    const cases = run === null ? [] : (await gradings.ofRun(projectId, run)).cases;
    return { status: 200, body: renderCiRunDetail(ciRun, cases) };
  };
}
