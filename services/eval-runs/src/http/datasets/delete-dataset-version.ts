import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { readDatasetVersionId } from "../../datasets/dataset-versions.ts";
import { datasetNotFound, requireDatasetId } from "../../datasets/require-dataset.ts";

/** DELETE /evaluate/datasets/{datasetId}/versions/{versionId} (completions 3.3). The newest, and one a run uses, stay. */
export function deleteDatasetVersion({ datasets, book }: { datasets: DatasetStore; book: DatasetBook }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    if ((await datasets.findVersion(projectId, id)) === null) datasetNotFound();
    const version = readDatasetVersionId(id, call.params.versionId ?? "");
    const deleted = version !== null && (await book.deleteVersion(projectId, id, version, actOf(call.identity)));
    return { status: 200, body: { deleted } };
  };
}
