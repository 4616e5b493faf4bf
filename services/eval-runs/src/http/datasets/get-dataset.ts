import type { Handler } from "@touchstone/service-kit";
import { renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { requireDataset } from "../../datasets/require-dataset.ts";

/** GET /custom-agent-evaluations/datasets/{datasetId} (completions 3.3). */
export function getDataset({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => ({ status: 200, body: renderDataset(await requireDataset(datasets, call)) });
}
