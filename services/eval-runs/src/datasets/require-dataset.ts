import { isUuid } from "@touchstone/contracts";
import { AppError, type Call, requireProject } from "@touchstone/service-kit";
import { caseNotFound } from "./change-cases.ts";
import type { DatasetStore, StoredDataset } from "./dataset-store.ts";

/** The dataset in the path. Throws `not_found` when the project has none with that id. */
export async function requireDataset(datasets: DatasetStore, call: Call): Promise<StoredDataset> {
  return (await datasets.find(requireProject(call), requireDatasetId(call))) ?? datasetNotFound();
}

/** The id in the path; a malformed id is answered like an unknown one. */
export function requireDatasetId(call: Call): string {
  const { datasetId = "" } = call.params;
  return isUuid(datasetId) ? datasetId : datasetNotFound();
}

/** The case index in the path; a malformed one is answered like an index without a case. */
export function requireQuestionIndex(call: Call): number {
  const { questionIndex = "" } = call.params;
  return /^\d{1,9}$/.test(questionIndex) ? Number(questionIndex) : caseNotFound();
}

export function datasetNotFound(): never {
  throw new AppError("not_found", "Dataset not found");
}
