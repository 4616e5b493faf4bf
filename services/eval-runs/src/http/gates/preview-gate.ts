import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import type { GateKeeper } from "../../gates/gate-keeper.ts";
import { readGateRequest } from "../../gates/gate-request.ts";
import type { GateStore } from "../../gates/gate-store.ts";
import { readText } from "../../queries/read-query.ts";

/** GET /evaluate/ci/gates/preview (completions 5.6): the verdict on the dataset's newest completed run, not kept. */
export function previewGate({
  keeper,
  gates,
  datasets,
}: {
  keeper: GateKeeper;
  gates: GateStore;
  datasets: DatasetStore;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const datasetId = readText(call.query, "datasetId");
    if (datasetId === null) throw new AppError("bad_request", "datasetId is required");
    const request = readGateRequest(call.query);
    const version = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
    if (version === null) throw new AppError("not_found", "Dataset not found");
    const runId = await gates.findNewestCompleted(projectId, datasetId);
    if (runId === null) throw new AppError("unprocessable", "No completed runs on this dataset yet");
    const body = await keeper.decide(projectId, runId, { ...request, isRecorded: false }, call.signal);
    return { status: 200, body };
  };
}
