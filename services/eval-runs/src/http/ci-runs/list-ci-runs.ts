import { limits } from "@touchstone/contracts";
import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import type { CiRunStore } from "../../ci-runs/ci-run-store.ts";
import { renderCiRun } from "../../ci-runs/render-ci-run.ts";
import { readText } from "../../gates/gate-request.ts";
import { requireProject } from "../require-project.ts";

/** GET /ingest/ci-runs (completions 8.4): the newest first. What cannot be a dataset has none. */
export function listCiRuns({ ciRuns }: { ciRuns: CiRunStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const limit = readLimit(readText(call.query, "limit"));
    const datasetId = readText(call.query, "dataset_id") ?? readText(call.query, "datasetId");
    const canMatch = datasetId === null || isUuid(datasetId);
    const found = canMatch ? await ciRuns.list(projectId, { datasetId, limit }) : [];
    return { status: 200, body: `{"ci_runs":[${found.map(renderCiRun).join(",")}]}` };
  };
}

function readLimit(text: string | null): number {
  if (text === null) return limits.runPageDefault;
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.runPageMax) return Number(text);
  throw new AppError("bad_request", `limit must be a number between 1 and ${limits.runPageMax}`);
}
