import { AppError, type Call, isUuid } from "@touchstone/service-kit";
import type { DatasetStore, StoredDataset } from "../../datasets/dataset-store.ts";
import { requireProject } from "../require-project.ts";

/** The dataset a path names. Throws `not_found` when the project has none of that id. */
export async function requireDataset(datasets: DatasetStore, call: Call): Promise<StoredDataset> {
  return (await datasets.find(requireProject(call), requireDatasetId(call))) ?? datasetNotFound();
}

/** The id a path names; one that cannot be an id answers like one that does not exist. */
export function requireDatasetId(call: Call): string {
  const { datasetId = "" } = call.params;
  return isUuid(datasetId) ? datasetId : datasetNotFound();
}

export function datasetNotFound(): never {
  throw new AppError("not_found", "Dataset not found");
}
