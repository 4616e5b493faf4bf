import {
  ciRunDetail,
  ciRunList,
  ciRunParams,
  ciScores,
  ciVerdict,
  createdCiRun,
  datasetTestCases,
  finalizeCiRunBody,
  listCiRunsQuery,
  submittedCiResults,
  submittedCiRun,
} from "../http/ci-runs.ts";
import { datasetParams } from "../http/datasets.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { batch, checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const ci = { ...dataPlane, owner: "eval-runs", keyRateGroup: "ci" } as const;
const noCiRun = error("No such CI run in the project.");
const expired = error("Two hours have passed since the CI run was created.");

/** Runs of pipelines. The paths are ingest's, the runs are eval-runs'. */
export const ciRunRoutes = {
  createCiRun: {
    ...ci,
    id: "createCiRun",
    method: "POST",
    path: `${prefix}/ingest/ci-runs`,
    body: json(submittedCiRun),
    responses: {
      201: { description: "The CI run, in progress.", schema: createdCiRun },
      ...checkedBody,
      404: error("No such dataset in the project."),
    },
    summary: "Start a CI run.",
    section: "completions 8.2",
  },
  listCiRuns: {
    ...ci,
    id: "listCiRuns",
    method: "GET",
    path: `${prefix}/ingest/ci-runs`,
    query: listCiRunsQuery,
    responses: {
      200: { description: "CI runs, the newest first.", schema: ciRunList },
      400: error("The limit or the cursor is none."),
    },
    summary: "List CI runs.",
    section: "completions 8.4",
  },
  getCiRun: {
    ...ci,
    id: "getCiRun",
    method: "GET",
    path: `${prefix}/ingest/ci-runs/{ciRunId}`,
    params: ciRunParams,
    responses: { 200: { description: "The state of the CI run.", schema: ciRunDetail }, 404: noCiRun },
    summary: "Read a CI run.",
    section: "completions 8.4",
  },
  submitCiResults: {
    ...ci,
    id: "submitCiResults",
    method: "POST",
    path: `${prefix}/ingest/ci-runs/{ciRunId}/results`,
    params: ciRunParams,
    body: batch(submittedCiResults),
    responses: {
      200: { description: "Each new result is scored and stored.", schema: ciScores },
      ...checkedBody,
      404: noCiRun,
      409: error("The CI run is finalized."),
      410: expired,
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Submit outputs of a CI run.",
    section: "completions 8.3",
  },
  finalizeCiRun: {
    ...ci,
    id: "finalizeCiRun",
    method: "POST",
    path: `${prefix}/ingest/ci-runs/{ciRunId}/finalize`,
    params: ciRunParams,
    body: json(finalizeCiRunBody, false),
    responses: {
      200: { description: "The verdict, whichever it is.", schema: ciVerdict },
      ...checkedBody,
      404: noCiRun,
      410: expired,
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Finalize a CI run.",
    section: "completions 8.4",
  },
  listTestCases: {
    ...ci,
    id: "listTestCases",
    method: "GET",
    path: `${prefix}/ingest/datasets/{datasetId}/test-cases`,
    params: datasetParams,
    responses: {
      200: { description: "The dataset's cases as a pipeline sees them.", schema: datasetTestCases },
      400: error("CI/CD is disabled for the dataset."),
      404: error("No such dataset in the project."),
    },
    summary: "List the test cases of a dataset.",
    section: "completions 8.5",
  },
} as const satisfies Record<string, Route>;
