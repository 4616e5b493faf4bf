import { AppError, type Handler, isUuid } from "@touchstone/service-kit";
import { renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { requireProject } from "../require-project.ts";

/** GET /custom-agent-evaluations/datasets/{datasetId} (completions 3.3). */
export function getDataset({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const { datasetId = "" } = call.params;
    const dataset = isUuid(datasetId) ? await datasets.find(requireProject(call), datasetId) : null;
    if (dataset === null) throw new AppError("not_found", "Dataset not found");
    return { status: 200, body: renderDataset(dataset) };
  };
}
