import type { Database } from "@touchstone/db";
import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { composeVersions, readVersionedRuns } from "../../gates/compare-versions.ts";

/** GET /evaluate/datasets/{datasetId}/run-comparison (completions 5.7). */
export function compareVersions({ datasets, database }: { datasets: DatasetStore; database: Database }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { datasetId = "" } = call.params;
    const version = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
    if (version === null) throw new AppError("not_found", "Dataset not found");
    return { status: 200, body: composeVersions(await readVersionedRuns(database, projectId, datasetId)) };
  };
}
