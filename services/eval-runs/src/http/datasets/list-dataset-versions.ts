import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { renderDatasetVersion } from "../../datasets/dataset-versions.ts";
import { datasetNotFound, requireDatasetId } from "../../datasets/require-dataset.ts";
import { readVersionListQuery, warnOfCut } from "../../queries/list-query.ts";

/** GET /evaluate/datasets/{datasetId}/versions (completions 3.3), newest first. */
export function listDatasetVersions({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    // Versions outlive their dataset, for the runs that use them.
    if ((await datasets.findVersion(projectId, id)) === null) datasetNotFound();
    const page = await datasets.listVersions(projectId, id, readVersionListQuery(call));
    warnOfCut(call, page);
    return { status: 200, body: `[${page.rows.map((version) => renderDatasetVersion(id, version)).join(",")}]` };
  };
}
