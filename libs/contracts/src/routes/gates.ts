import { datasetParams } from "../http/datasets.ts";
import {
  comparedRuns,
  comparedVersions,
  compareRunsQuery,
  gate,
  gatePreviewQuery,
  gateQuery,
  listGatesQuery,
  recordedGates,
} from "../http/gates.ts";
import { runParams } from "../http/runs.ts";
import type { Route } from "../route.ts";
import { dataPlane, error, prefix } from "./route-parts.ts";

const evaluation = { ...dataPlane, owner: "eval-runs", keyRateGroup: "evaluation" } as const;
const dashboard = { ...dataPlane, owner: "eval-runs" } as const;

/** Verdicts on whole runs, and runs side by side. */
export const gateRoutes = {
  gateRun: {
    ...evaluation,
    id: "gateRun",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/runs/{runId}/gate`,
    params: runParams,
    query: gateQuery,
    responses: {
      200: { description: "The verdict, whichever it is.", schema: gate },
      400: error("No check is asked for, or a parameter is wrong."),
      404: error("No such run in the project."),
    },
    summary: "Decide whether a run passes.",
    section: "completions 5.6",
  },
  listGates: {
    ...dashboard,
    id: "listGates",
    method: "GET",
    path: `${prefix}/evaluate/ci/gates`,
    query: listGatesQuery,
    responses: {
      200: { description: "Recorded verdicts, the newest first.", schema: recordedGates },
      400: error("The limit, the cursor or ciRuns is none, or there are too many runIds."),
    },
    summary: "List recorded gates.",
    section: "completions 5.6",
  },
  previewGate: {
    ...dashboard,
    id: "previewGate",
    method: "GET",
    path: `${prefix}/evaluate/ci/gates/preview`,
    query: gatePreviewQuery,
    responses: {
      200: { description: "The verdict on the dataset's newest completed run.", schema: gate },
      400: error("No check is asked for, or a parameter is wrong."),
      404: error("No such dataset in the project."),
      422: error("The dataset has no completed run."),
    },
    summary: "Try a gate on the newest completed run.",
    section: "completions 5.6",
  },
  compareRuns: {
    ...dashboard,
    id: "compareRuns",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: `${prefix}/evaluate/runs/compare`,
    query: compareRunsQuery,
    responses: {
      200: { description: "The two runs, case by case.", schema: comparedRuns },
      400: error("A run id is missing, or the runs are of different datasets."),
      404: error("No such run in the project."),
    },
    summary: "Compare two runs of a dataset.",
    section: "completions 5.7",
  },
  compareVersions: {
    ...dashboard,
    id: "compareVersions",
    method: "GET",
    path: `${prefix}/evaluate/datasets/{datasetId}/run-comparison`,
    params: datasetParams,
    responses: {
      200: { description: "The dataset's completed runs by version label.", schema: comparedVersions },
      404: error("No such dataset in the project."),
    },
    summary: "Compare the versions of an agent on a dataset.",
    section: "completions 5.7",
  },
} as const satisfies Record<string, Route>;
