import { AppError, type Call, type Clock, type Handler, requireProject } from "@touchstone/service-kit";
import { readText } from "../queries/read-query.ts";
import { questionTextsOf, replaceQuestions } from "./change-cases.ts";
import type { DatasetBook } from "./dataset-book.ts";
import type { StoredDataset } from "./dataset-store.ts";
import { readDryRun, readRows } from "./import-rows.ts";
import { type MergedCases, mergeCases } from "./merge-cases.ts";
import { datasetNotFound, requireDatasetId } from "./require-dataset.ts";
import { answeringStale, readVersion, requireVersion } from "./stale-dataset.ts";

/** The number of cases shown, over all kinds. */
const shownCasesMax = 20;

/**
 * POST /custom-agent-evaluations/datasets/{datasetId}/import: rows of CSV, a JSON array or JSON lines into a dataset. With
 * `dryRun=true` nothing is stored and the answer shows the result.
 */
export function importCases({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    const mode = readMode(call);
    const isDryRun = readDryRun(call);
    const read = readVersion(call);
    const rows = await readRows(call);
    // An empty file is more often a mistake than a request to delete all cases.
    if (mode === "replace" && rows.questions.length === 0) {
      throw new AppError("bad_request", "No row is a case, so there is nothing to replace the cases with");
    }

    return answeringStale(async () => {
      let merged: MergedCases | null = null;
      const merge = (current: StoredDataset): string => {
        requireVersion(current, read);
        const done = mergeCases(questionTextsOf(current.document), rows.questions, mode);
        merged = done;
        const document = replaceQuestions(current.document, () => done.texts);
        return isDryRun ? current.document : document;
      };
      const dataset = await book.update(projectId, id, merge, new Date(clock.now()));
      if (dataset === null || merged === null) return datasetNotFound();
      return { status: 200, body: render(dataset.version, merged, rows) };
    });
  };
}

function readMode(call: Call): "add" | "replace" {
  const mode = readText(call.query, "mode") ?? "add";
  if (mode !== "add" && mode !== "replace") throw new AppError("bad_request", "mode must be add or replace");
  return mode;
}

function render(
  version: number,
  { texts, added, changed, removed, equal }: MergedCases,
  { skipped, skippedCount }: { skipped: unknown[]; skippedCount: number },
): string {
  const kinds = Object.entries({ added, changed, removed });
  const shown = kinds.flatMap(([change, cases]) => cases.map((text) => `{"change":"${change}","case":${text}}`));
  const counts = Object.fromEntries(kinds.map(([change, cases]) => [change, cases.length]));
  const head = JSON.stringify({ version, caseCount: texts.length, ...counts, equal, skipped, skippedCount });
  return `${head.slice(0, -1)},"cases":[${shown.slice(0, shownCasesMax).join(",")}]}`;
}
