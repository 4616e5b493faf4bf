import {
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  uuidv7,
} from "@touchstone/service-kit";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import { composeDatasetDocument, renderDataset } from "../../datasets/dataset-document.ts";
import type { StoredDataset } from "../../datasets/dataset-store.ts";
import { answeringStale, readVersion } from "../../datasets/read-version.ts";
import { datasetNotFound, requireDatasetId } from "../../datasets/require-dataset.ts";
import { requireVersion } from "../../datasets/stale-dataset.ts";

/**
 * PUT /custom-agent-evaluations/datasets/{datasetId} (completions 3.3): the whole dataset anew. What it was stays as a
 * version; runs go on with the one they were created with. With `version` only while it is the newest.
 */
export function updateDataset({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    // First: a body that cannot be read is 400 whatever the path names.
    const body = await readJsonObject(call);
    const id = requireDatasetId(call);
    const now = clock.now();
    const document = composeDatasetDocument(body, () => uuidv7(now));
    requireWorkspace(call, body.value.workspaceId);

    const read = readVersion(call);

    return answeringStale(async () => {
      const replace = (current: StoredDataset): string => {
        requireVersion(current, read);
        return document;
      };
      const dataset = await book.update(projectId, id, replace, new Date(now));
      return { status: 200, body: renderDataset(dataset ?? datasetNotFound()) };
    });
  };
}
