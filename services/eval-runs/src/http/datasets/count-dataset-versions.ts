import type { datasetVersionCounts } from "@touchstone/contracts";
import { type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../../datasets/dataset-store.ts";

/** GET /evaluate/datasets/batch/versions (completions 3.3). Ids of no dataset are left out. */
export function countDatasetVersions({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const ids = [call.query.ids ?? []].flat().flatMap((list) => list.split(",").map((id) => id.trim()));
    const counts = await datasets.countVersions(requireProject(call), ids.filter(isUuid));
    const reply: z.input<typeof datasetVersionCounts> = { versionCounts: Object.fromEntries(counts) };
    return { status: 200, body: reply };
  };
}
