import { AppError, type Call, isUuid, requireProject } from "@touchstone/service-kit";
import type { DatasetStore, StoredDataset } from "./dataset-store.ts";

/** The dataset a path names. Throws `not_found` when the project has none of that id. */
export async function requireDataset(datasets: DatasetStore, call: Call): Promise<StoredDataset> {
  return (await datasets.find(requireProject(call), requireDatasetId(call))) ?? datasetNotFound();
}

/** The id a path names; one that cannot be an id answers like one that does not exist. */
export function requireDatasetId(call: Call): string {
  const { datasetId = "" } = call.params;
  return isUuid(datasetId) ? datasetId : datasetNotFound();
}

/** The place of a case that a path names; what cannot be one answers like a place without a case. */
export function requireQuestionIndex(call: Call): number {
  const { questionIndex = "" } = call.params;
  return /^\d{1,9}$/.test(questionIndex) ? Number(questionIndex) : caseNotFound();
}

export function caseNotFound(): never {
  throw new AppError("not_found", "Case not found");
}

export function datasetNotFound(): never {
  throw new AppError("not_found", "Dataset not found");
}
