import { isUuid, limits, type recordedGates, routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import {
  AppError,
  type Call,
  endOfPage,
  type Handler,
  readParameter,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { type Query, readAllOrNone } from "../queries/read-query.ts";
import type { AwaitedOutputs } from "../results/awaited-outputs.ts";
import type { DatasetNames } from "../runs/dataset-name-reader.ts";
import { readVerdictQuery } from "../runs/verdict-query.ts";
import { compareRuns } from "./compare-runs.ts";
import { composeVersions } from "./compare-versions.ts";
import { createGateKeeper, type GateDependencies, type GateKeeper } from "./gate-keeper.ts";
import { readGateRequest } from "./gate-request.ts";
import type { GateStore } from "./gate-store.ts";
import { readVersionedRuns } from "./versioned-run-reader.ts";

/** Verdicts on whole runs, and comparisons of runs. */
export function gateRoutes(
  dependencies: GateDependencies & {
    database: Database;
    datasets: DatasetStore;
    names: DatasetNames;
    awaited: AwaitedOutputs;
  },
): ServedRoute[] {
  const { database, runs, gates, gradings, datasets, results, names, awaited } = dependencies;
  const keeper = createGateKeeper(dependencies);
  return [
    { route: routes.gateRun, handle: gateRun({ keeper }) },
    { route: routes.listGates, handle: listGates({ gates, names }) },
    { route: routes.previewGate, handle: previewGate({ keeper, gates, datasets }) },
    { route: routes.compareRuns, handle: compareRuns({ runs, results, gradings, awaited }) },
    { route: routes.compareVersions, handle: compareVersions({ datasets, database }) },
  ];
}

/** GET /custom-agent-evaluations/runs/{runId}/gate (completions 5.6): 200 for either verdict. */
function gateRun({ keeper }: { keeper: GateKeeper }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    return { status: 200, body: await keeper.decide(projectId, runId, readGateRequest(call.query), askerOf(call)) };
  };
}

const askerOf = ({ signal, identity: { requestId } }: Call) => ({ signal, requestId });

/** GET /evaluate/ci/gates (completions 5.6): recorded verdicts, newest first. */
function listGates({ gates, names }: { gates: GateStore; names: DatasetNames }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = {
      ...readVerdictQuery(call),
      withCiRuns: readAllOrNone(call.query, "ciRuns"),
      runIds: readRunIds(call.query),
    };
    const [page, totalCount] = await Promise.all([
      gates.listRecorded(projectId, query),
      gates.countRecorded(projectId, query),
    ]);
    const named = await names.find(
      projectId,
      page.rows.map(({ datasetId }) => datasetId),
    );
    const reply: z.input<typeof recordedGates> = {
      gates: page.rows.map(({ id, gate, createdAt, ...kept }) => ({
        _id: id,
        ...kept,
        datasetName: named.get(kept.datasetId) ?? null,
        averageRating: gate.averageRating,
        baselineAverage: gate.baselineAverage,
        checks: gate.checks,
        createdAt: createdAt.toISOString(),
      })),
      totalCount,
      ...endOfPage(page, ({ id }) => id),
    };
    return { status: 200, body: reply };
  };
}

/** Null without the parameter. A malformed id matches nothing. */
function readRunIds(query: Query): string[] | null {
  const ids = readParameter(query, "runIds")?.split(",");
  if (ids !== undefined && ids.length > limits.runPageMax) {
    throw new AppError("bad_request", `runIds must be at most ${limits.runPageMax} ids`);
  }
  return ids?.filter(isUuid) ?? null;
}

/**
 * GET /evaluate/ci/gates/preview (completions 5.6): the verdict on the dataset's newest completed run, not recorded.
 */
function previewGate({
  keeper,
  gates,
  datasets,
}: {
  keeper: GateKeeper;
  gates: GateStore;
  datasets: DatasetStore;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const datasetId = readParameter(call.query, "datasetId");
    if (datasetId === null) throw new AppError("bad_request", "datasetId is required");
    const request = readGateRequest(call.query);
    const version = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
    if (version === null) throw new AppError("not_found", "Dataset not found");
    const runId = await gates.findNewestCompleted(projectId, datasetId);
    if (runId === null) throw new AppError("unprocessable", "No completed runs on this dataset yet");
    const body = await keeper.decide(projectId, runId, { ...request, isRecorded: false }, askerOf(call));
    return { status: 200, body };
  };
}

/** GET /evaluate/datasets/{datasetId}/run-comparison (completions 5.7). */
function compareVersions({ datasets, database }: { datasets: DatasetStore; database: Database }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { datasetId = "" } = call.params;
    const version = isUuid(datasetId) ? await datasets.findVersion(projectId, datasetId) : null;
    if (version === null) throw new AppError("not_found", "Dataset not found");
    return { status: 200, body: composeVersions(await readVersionedRuns(database, projectId, datasetId)) };
  };
}
