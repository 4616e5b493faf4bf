import { AppError, isUuid } from "@touchstone/service-kit";
import type { DatasetStore, StoredDataset } from "../datasets/dataset-store.ts";
import { type CiSettings, readCiSettings } from "./ci-settings.ts";

/** The newest version of a dataset that pipelines may use, and by what it decides on them. */
export async function requireCiDataset(
  datasets: Pick<DatasetStore, "find">,
  projectId: string,
  datasetId: string,
): Promise<{ dataset: StoredDataset; settings: CiSettings }> {
  const dataset = isUuid(datasetId) ? await datasets.find(projectId, datasetId) : null;
  if (dataset === null) throw new AppError("not_found", "Dataset not found");
  const settings = readCiSettings(dataset.document);
  if (settings === null) throw new AppError("bad_request", "CI/CD is not enabled for this dataset");
  return { dataset, settings };
}
