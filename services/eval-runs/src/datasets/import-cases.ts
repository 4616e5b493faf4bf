import { AppError, type Call, type Clock, type Handler, readParameter, requireProject } from "@touchstone/service-kit";
import type { DatasetBook } from "./dataset-change-store.ts";
import type { WorkOnDataset } from "./dataset-work.ts";
import { readDryRun, readRows } from "./read-rows.ts";
import { datasetNotFound, requireDatasetId } from "./require-dataset.ts";
import { answeringStale, readVersion } from "./stale-dataset.ts";

/**
 * POST /custom-agent-evaluations/datasets/{datasetId}/import: rows of CSV, a JSON array or JSON lines into a dataset. With
 * `dryRun=true` nothing is stored and the answer shows the result.
 */
export function importCases({ book, work, clock }: { book: DatasetBook; work: WorkOnDataset; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    const mode = readMode(call);
    const isDryRun = readDryRun(call);
    const read = readVersion(call);
    const { text: rows, count, skipped, skippedCount } = await readRows(work, call, 0);
    // An empty file is more often a mistake than a request to delete all cases.
    if (mode === "replace" && count === 0) {
      throw new AppError("bad_request", "No row is a case, so there is nothing to replace the cases with");
    }

    return answeringStale(async () => {
      const edit = { name: "mergeRows", input: { rows, mode, read, isDryRun } } as const;
      const dataset = await book.update(projectId, id, edit, new Date(clock.now()), { size: rows.length });
      if (dataset === null) return datasetNotFound();
      const { shown, ...counts } = dataset.outcome;
      const head = JSON.stringify({ version: dataset.version, ...counts, skipped, skippedCount });
      return { status: 200, body: `${head.slice(0, -1)},"cases":${shown}}` };
    });
  };
}

function readMode(call: Call): "add" | "replace" {
  const mode = readParameter(call.query, "mode") ?? "add";
  if (mode !== "add" && mode !== "replace") throw new AppError("bad_request", "mode must be add or replace");
  return mode;
}
