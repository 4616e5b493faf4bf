import {
  AppError,
  type Clock,
  type Handler,
  Pieces,
  readParameter,
  requireProject,
  uuidv7,
} from "@touchstone/service-kit";
import { piecesOfDataset } from "./answer-dataset.ts";
import type { DatasetStore } from "./dataset-store.ts";
import { requireComposed, type WorkOnDataset } from "./dataset-work.ts";
import { readDryRun, readRows } from "./read-rows.ts";

/** The number of cases that a dry run shows. */
const previewedCasesMax = 20;

/**
 * POST /custom-agent-evaluations/datasets/import (completions 3.3): a dataset from a CSV file, a JSON array or JSON lines.
 * With `dryRun=true` nothing is stored: 200 with the same counts and the first cases.
 */
export function importDataset({
  datasets,
  work,
  clock,
}: {
  datasets: DatasetStore;
  work: WorkOnDataset;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const name = readParameter(call.query, "name");
    if (name === null || name.trim() === "") throw new AppError("bad_request", "name is required");
    const isDryRun = readDryRun(call);
    const rows = await readRows(work, call, isDryRun ? previewedCasesMax : 0);

    const tally = JSON.stringify({
      imported: rows.count,
      skipped: rows.skipped,
      skippedCount: rows.skippedCount,
    }).slice(1);
    const now = clock.now();
    const head = JSON.stringify({ name, description: readParameter(call.query, "description") }).slice(0, -1);
    const body = Buffer.concat([Buffer.from(`${head},"questions":`), rows.text, Buffer.from("}")]);
    const composed = await work("composeDataset", { body, isRead: true, nowMs: now }, { projectId, size: body.length });
    const { document } = requireComposed(composed);
    if (isDryRun) return { status: 200, body: `{"cases":${rows.first},${tally}` };
    const dataset = { id: uuidv7(now), document, createdAt: new Date(now) };
    await datasets.insert(projectId, dataset);
    const pieces = piecesOfDataset({ ...dataset, version: 1 }, document.bytes);
    return {
      status: 201,
      body: new Pieces([Buffer.from('{"dataset":'), ...pieces, Buffer.from(`,${tally}`)]),
    };
  };
}
