import {
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  uuidv7,
} from "@touchstone/service-kit";
import { composeDatasetDocument, renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";

/** POST /custom-agent-evaluations/datasets (completions 3.1): 201 with the dataset itself. */
export function createDataset({ datasets, clock }: { datasets: DatasetStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const body = await readJsonObject(call);
    const now = clock.now();
    const document = composeDatasetDocument(body, () => uuidv7(now));
    requireWorkspace(call, body.value.workspaceId);

    const dataset = { id: uuidv7(now), document, createdAt: new Date(now) };
    await datasets.insert(projectId, dataset);

    return { status: 201, body: renderDataset({ ...dataset, version: 1 }) };
  };
}
