import type { Handler } from "@touchstone/service-kit";
import { renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { requireProject } from "../require-project.ts";

/** GET /custom-agent-evaluations/datasets: every dataset of the project with its questions, newest first. */
export function listDatasets({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const found = await datasets.list(requireProject(call));
    return { status: 200, body: `{"datasets":[${found.map(renderDataset).join(",")}]}` };
  };
}
