import { dataset, datasetList, datasetParams, submittedDataset } from "../http/datasets.ts";
import {
  createRunReply,
  finalizeRunBody,
  finalizeRunReply,
  run,
  runParams,
  submitResultsReply,
  submittedBatch,
  submittedRun,
} from "../http/runs.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const evaluation = { ...dataPlane, owner: "eval-runs", keyRateGroup: "evaluation" } as const;

/** Datasets and runs. */
export const evaluationRoutes = {
  createDataset: {
    ...evaluation,
    id: "createDataset",
    method: "POST",
    path: `${prefix}/custom-agent-evaluations/datasets`,
    body: json(submittedDataset),
    responses: { 201: { description: "The dataset.", schema: dataset }, ...checkedBody },
    summary: "Create a dataset.",
    section: "completions 3.1",
  },
  listDatasets: {
    ...evaluation,
    id: "listDatasets",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/datasets`,
    responses: { 200: { description: "The project's datasets, newest first.", schema: datasetList } },
    summary: "List datasets.",
    section: "interface: GET datasets",
  },
  getDataset: {
    ...evaluation,
    id: "getDataset",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/datasets/{datasetId}`,
    params: datasetParams,
    responses: {
      200: { description: "The dataset.", schema: dataset },
      404: error("No such dataset in the project."),
    },
    summary: "Read one dataset.",
    section: "completions 3.3",
  },
  createRun: {
    ...evaluation,
    id: "createRun",
    method: "POST",
    path: `${prefix}/custom-agent-evaluations/runs`,
    body: json(submittedRun),
    responses: {
      201: { description: "The run, in progress.", schema: createRunReply },
      ...checkedBody,
      404: error("The dataset, or a grader named in the body, does not exist in the project."),
    },
    summary: "Create a run.",
    section: "interface: POST runs",
  },
  getRun: {
    ...evaluation,
    id: "getRun",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/runs/{runId}`,
    params: runParams,
    responses: {
      200: { description: "The run with its results.", schema: run },
      404: error("No such run in the project."),
    },
    summary: "Read a run.",
    section: "interface: GET runs/{runId}",
  },
  submitResults: {
    ...evaluation,
    id: "submitResults",
    method: "POST",
    path: `${prefix}/custom-agent-evaluations/runs/{runId}/results`,
    params: runParams,
    body: json(submittedBatch),
    responses: {
      200: { description: "Each new result is scored and stored.", schema: submitResultsReply },
      ...checkedBody,
      404: error("No such run in the project."),
      409: error("The run is completed or failed."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Submit 1 to 10 agent outputs for scoring.",
    section: "interface: POST runs/{runId}/results",
  },
  finalizeRun: {
    ...evaluation,
    id: "finalizeRun",
    method: "POST",
    path: `${prefix}/custom-agent-evaluations/runs/{runId}/finalize`,
    params: runParams,
    body: json(finalizeRunBody, false),
    responses: {
      200: { description: "The run in its final state.", schema: finalizeRunReply },
      ...checkedBody,
      404: error("No such run in the project."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Finalize a run.",
    section: "interface: POST runs/{runId}/finalize",
  },
} as const satisfies Record<string, Route>;
