import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import { datasetNotFound, requireDatasetId } from "../../datasets/require-dataset.ts";

/**
 * DELETE /custom-agent-evaluations/datasets/{datasetId} (completions 3.3). Its runs stay: the versions they were created
 * with are kept for them. No dataset is attached to a live scorer, since a grading config is never a dataset.
 */
export function deleteDataset({ book }: { book: DatasetBook }): Handler {
  return async (call) => {
    const isGone = await book.delete(requireProject(call), requireDatasetId(call), actOf(call.identity));
    if (!isGone) datasetNotFound();
    return { status: 200, body: { deleted: true } };
  };
}
