import {
  AppError,
  type Call,
  type Clock,
  decodeJsonText,
  type Handler,
  parseJsonBody,
  readRowsType,
  uuidv7,
} from "@touchstone/service-kit";
import { composeDatasetDocument, renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { type ImportedRows, importRows } from "../../datasets/import-rows.ts";
import { requireProject } from "../require-project.ts";

/** What a dry run shows. */
const previewedCasesMax = 20;

/**
 * POST /custom-agent-evaluations/datasets/import (completions 3.3): a dataset from a CSV file, a JSON array or JSON lines.
 * With `dryRun=true` nothing is stored: 200 with the same counts and the first cases.
 */
export function importDataset({ datasets, clock }: { datasets: DatasetStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const name = readQueryText(call, "name");
    if (name === null || name.trim() === "") throw new AppError("bad_request", "name is required");
    const dryRun = readQueryText(call, "dryRun") ?? "false";
    if (dryRun !== "true" && dryRun !== "false") throw new AppError("bad_request", "dryRun must be true or false");
    const rows = await readRows(call);

    const tally = JSON.stringify({
      imported: rows.questions.length,
      skipped: rows.skipped,
      skippedCount: rows.skippedCount,
    }).slice(1);
    if (dryRun === "true") {
      const cases = rows.questions.slice(0, previewedCasesMax).join(",");
      return { status: 200, body: `{"cases":[${cases}],${tally}` };
    }
    const now = clock.now();
    const head = JSON.stringify({ name, description: readQueryText(call, "description") }).slice(0, -1);
    const text = `${head},"questions":[${rows.questions.join(",")}]}`;
    const document = composeDatasetDocument({ text, value: JSON.parse(text) }, () => uuidv7(now));
    const dataset = { id: uuidv7(now), document, createdAt: new Date(now) };
    await datasets.insert(projectId, dataset);
    return { status: 201, body: `{"dataset":${renderDataset({ ...dataset, version: 1 })},${tally}` };
  };
}

async function readRows(call: Call): Promise<ImportedRows> {
  const type = readRowsType(call.headers["content-type"]);
  const bytes = await call.body();
  if (type === "json") parseJsonBody(bytes);
  return importRows(type, decodeJsonText(bytes));
}

/** Of a parameter that is given twice the first counts; null = it is not given. */
function readQueryText({ query }: Call, name: string): string | null {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
