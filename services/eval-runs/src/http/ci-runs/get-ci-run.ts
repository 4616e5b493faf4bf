import type { Handler } from "@touchstone/service-kit";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { renderCiRun } from "../../ci-runs/render-ci-run.ts";
import { requireProject } from "../require-project.ts";
import { requireCiRun } from "./require-ci-run.ts";

/** GET /ingest/ci-runs/{ciRunId} (completions 8.4). */
export function getCiRun({ ciRuns }: { ciRuns: CiRunStore }): Handler {
  return async (call) => {
    const ciRun = await requireCiRun(ciRuns, requireProject(call), call.params.ciRunId);
    return { status: 200, body: renderCiRun(ciRun) };
  };
}
