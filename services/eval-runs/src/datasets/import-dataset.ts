import { AppError, type Clock, type Handler, requireProject, uuidv7 } from "@touchstone/service-kit";
import { readText } from "../queries/read-query.ts";
import { composeDatasetDocument, renderDataset } from "./dataset-document.ts";
import type { DatasetStore } from "./dataset-store.ts";
import { readDryRun, readRows } from "./import-rows.ts";

/** The number of cases that a dry run shows. */
const previewedCasesMax = 20;

/**
 * POST /custom-agent-evaluations/datasets/import (completions 3.3): a dataset from a CSV file, a JSON array or JSON lines.
 * With `dryRun=true` nothing is stored: 200 with the same counts and the first cases.
 */
export function importDataset({ datasets, clock }: { datasets: DatasetStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const name = readText(call.query, "name");
    if (name === null || name.trim() === "") throw new AppError("bad_request", "name is required");
    const isDryRun = readDryRun(call);
    const rows = await readRows(call);

    const tally = JSON.stringify({
      imported: rows.questions.length,
      skipped: rows.skipped,
      skippedCount: rows.skippedCount,
    }).slice(1);
    if (isDryRun) {
      const cases = rows.questions.slice(0, previewedCasesMax).join(",");
      return { status: 200, body: `{"cases":[${cases}],${tally}` };
    }
    const now = clock.now();
    const head = JSON.stringify({ name, description: readText(call.query, "description") }).slice(0, -1);
    const text = `${head},"questions":[${rows.questions.join(",")}]}`;
    const document = composeDatasetDocument({ text, value: JSON.parse(text) }, () => uuidv7(now));
    const dataset = { id: uuidv7(now), document, createdAt: new Date(now) };
    await datasets.insert(projectId, dataset);
    return { status: 201, body: `{"dataset":${renderDataset({ ...dataset, version: 1 })},${tally}` };
  };
}
