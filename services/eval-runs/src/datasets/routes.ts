import type { Bus } from "@touchstone/bus";
import { type casePreview, type datasetVersionCounts, type deletedCase, isUuid, routes } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Clock,
  encodeList,
  type Handler,
  parseBody,
  readJsonBytes,
  readJsonObject,
  requireProject,
  requireWorkspace,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import { readVersionListQuery, warnOfCut } from "../queries/list-query.ts";
import type { Timings } from "../timings.ts";
import { addCases } from "./add-cases.ts";
import { answerDataset } from "./answer-dataset.ts";
import type { DatasetBook } from "./dataset-change-store.ts";
import { readDatasetVersionId, renderDatasetVersion } from "./dataset-document.ts";
import type { DatasetStore } from "./dataset-store.ts";
import type { DatasetSummaryStore } from "./dataset-summary-store.ts";
import { requireComposed, type WorkOnDataset } from "./dataset-work.ts";
import { importCases } from "./import-cases.ts";
import { importDataset } from "./import-dataset.ts";
import { listDatasets } from "./list-datasets.ts";
import { putCase } from "./put-case.ts";
import { datasetNotFound, requireDataset, requireDatasetId, requireQuestionIndex } from "./require-dataset.ts";
import { answeringStale, readVersion, requireReadVersion } from "./stale-dataset.ts";
import { suggestExpected } from "./suggest-expected.ts";

/** Routes of datasets, their cases and their versions. */
export function datasetRoutes(dependencies: {
  datasets: DatasetStore;
  book: DatasetBook;
  work: WorkOnDataset;
  summaries: DatasetSummaryStore;
  ingest: IngestClient;
  bus: Bus;
  timings: Timings;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.createDataset, handle: createDataset(dependencies) },
    { route: routes.listDatasets, handle: listDatasets(dependencies) },
    { route: routes.putCase, handle: putCase(dependencies) },
    { route: routes.deleteCase, handle: deleteCase(dependencies) },
    { route: routes.getDataset, handle: getDataset(dependencies) },
    { route: routes.updateDataset, handle: updateDataset(dependencies) },
    { route: routes.deleteDataset, handle: deleteDataset(dependencies) },
    { route: routes.addCases, handle: addCases(dependencies) },
    { route: routes.previewCase, handle: previewCase(dependencies) },
    { route: routes.suggestExpected, handle: suggestExpected(dependencies) },
    { route: routes.importDataset, handle: importDataset(dependencies) },
    { route: routes.importCases, handle: importCases(dependencies) },
    { route: routes.listDatasetVersions, handle: listDatasetVersions(dependencies) },
    { route: routes.deleteDatasetVersion, handle: deleteDatasetVersion(dependencies) },
    { route: routes.countDatasetVersions, handle: countDatasetVersions(dependencies) },
  ];
}

/** POST /custom-agent-evaluations/datasets (completions 3.1): 201 with the dataset itself. */
function createDataset({
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
    const body = await readJsonBytes(call);
    const now = clock.now();
    const composed = await work(
      "composeDataset",
      { body, isRead: false, nowMs: now },
      { projectId, size: body.length },
    );
    const { document, workspaceId } = requireComposed(composed);
    requireWorkspace(call, workspaceId);

    const dataset = { id: uuidv7(now), document, createdAt: new Date(now) };
    await datasets.insert(projectId, dataset);

    return { status: 201, body: await answerDataset({ ...dataset, version: 1, document: document.bytes }) };
  };
}

/**
 * DELETE /custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}: later cases move up. Earlier versions keep it,
 * and so do runs of them.
 */
function deleteCase({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    const index = requireQuestionIndex(call);
    const read = requireReadVersion(call);

    return answeringStale(async () => {
      const edit = { name: "deleteCase", input: { index, read } } as const;
      const dataset = await book.update(projectId, id, edit, new Date(clock.now()));
      if (dataset === null) return datasetNotFound();
      const reply: z.input<typeof deletedCase> = {
        deleted: true,
        version: dataset.version,
        caseCount: dataset.outcome,
      };
      return { status: 200, body: reply };
    });
  };
}

/** GET /custom-agent-evaluations/datasets/{datasetId} (completions 3.3). */
function getDataset({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => ({ status: 200, body: await answerDataset(await requireDataset(datasets, call)) });
}

/**
 * PUT /custom-agent-evaluations/datasets/{datasetId} (completions 3.3): replaces the whole dataset. The previous content stays
 * as a version; runs keep the version they were created with. With `version`, only while that is the newest.
 */
function updateDataset({ book, work, clock }: { book: DatasetBook; work: WorkOnDataset; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    // First, so that an unreadable body is 400 for any path.
    const body = await readJsonBytes(call);
    const now = clock.now();
    const composed = await work(
      "composeDataset",
      { body, isRead: false, nowMs: now },
      { projectId, size: body.length },
    );
    const id = requireDatasetId(call);
    const { document, workspaceId } = requireComposed(composed);
    requireWorkspace(call, workspaceId);
    const read = readVersion(call);

    return answeringStale(async () => {
      const edit = { name: "replace", input: { document: document.bytes, read } } as const;
      const dataset = await book.update(projectId, id, edit, new Date(now), { size: document.bytes.length });
      return { status: 200, body: await answerDataset(dataset ?? datasetNotFound()) };
    });
  };
}

/**
 * DELETE /custom-agent-evaluations/datasets/{datasetId} (completions 3.3). Its runs stay, with the versions they were created
 * with. No dataset is attached to a live scorer, since a grading config is never a dataset.
 */
function deleteDataset({ book }: { book: DatasetBook }): Handler {
  return async (call) => {
    const isGone = await book.delete(requireProject(call), requireDatasetId(call), actOf(call.identity));
    if (!isGone) datasetNotFound();
    return { status: 200, body: { deleted: true } };
  };
}

/**
 * POST /custom-agent-evaluations/datasets/case-preview (completions 3.3): the case that a recorded trace or session would
 * become. Its first turn is the query, the later ones are follow-ups. The agent's answer is shown but not expected: it may be
 * wrong.
 */
function previewCase({ ingest }: { ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId, sessionId } = parseBody((await readJsonObject(call)).value, routes.previewCase.body);
    const recorded = traceId ? { traceId } : { sessionId: sessionId ?? "" };
    const turns = await ingest.readTurns(projectId, recorded, call.identity.requestId);
    const [first, ...later] = turns.filter(({ query }) => query.trim() !== "");
    if (first === undefined) throw new AppError("not_found", "No usable turns found for that trace/session");
    const reply: z.input<typeof casePreview> = {
      case: {
        main_question: { query: first.query },
        follow_up_questions: later.map(({ query }) => ({ query })),
        source: recorded,
      },
      turns,
    };
    return { status: 200, body: reply };
  };
}

/** GET /evaluate/datasets/{datasetId}/versions (completions 3.3), newest first. */
function listDatasetVersions({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    // Versions outlive their dataset, for the runs that use them.
    if ((await datasets.findVersion(projectId, id)) === null) datasetNotFound();
    const page = await datasets.listVersions(projectId, id, readVersionListQuery(call));
    warnOfCut(call, page);
    const texts = page.rows.map((version) => renderDatasetVersion(id, version));
    return { status: 200, body: await encodeList("[", texts, "]") };
  };
}

/**
 * DELETE /evaluate/datasets/{datasetId}/versions/{versionId} (completions 3.3). The newest version, and one that a run uses,
 * cannot be deleted.
 */
function deleteDatasetVersion({ datasets, book }: { datasets: DatasetStore; book: DatasetBook }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    if ((await datasets.findVersion(projectId, id)) === null) datasetNotFound();
    const version = readDatasetVersionId(id, call.params.versionId ?? "");
    const deleted = version !== null && (await book.deleteVersion(projectId, id, version, actOf(call.identity)));
    return { status: 200, body: { deleted } };
  };
}

/** GET /evaluate/datasets/batch/versions (completions 3.3). Unknown ids are left out. */
function countDatasetVersions({ datasets }: { datasets: DatasetStore }): Handler {
  return async (call) => {
    const ids = [call.query.ids ?? []].flat().flatMap((list) => list.split(",").map((id) => id.trim()));
    const counts = await datasets.countVersions(requireProject(call), ids.filter(isUuid));
    const reply: z.input<typeof datasetVersionCounts> = { versionCounts: Object.fromEntries(counts) };
    return { status: 200, body: reply };
  };
}
