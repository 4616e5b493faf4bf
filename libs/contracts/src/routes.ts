import { z } from "zod";
import { errorBody, globalErrorBody, validationErrorBody } from "./errors.ts";
import { agentParams, agentReply } from "./http/agents.ts";
import { authConfig, projectList, projectParams, projectReply, submittedProject } from "./http/auth.ts";
import { dataset, datasetList, datasetParams, submittedDataset } from "./http/datasets.ts";
import {
  type ExportEntity,
  exportEntities,
  exportIndex,
  exportParams,
  exportQuery,
  importedLine,
  importReply,
  interruptedImport,
  unknownExportEntity,
} from "./http/export.ts";
import { health, readiness } from "./http/health.ts";
import { retention, submittedRetention, usage } from "./http/monitoring.ts";
import { otlpExport, otlpLogsReply, otlpMetricsReply, otlpTracesReply } from "./http/otlp.ts";
import {
  createRunReply,
  finalizeRunBody,
  finalizeRunReply,
  run,
  runParams,
  submitResultsReply,
  submittedBatch,
  submittedRun,
} from "./http/runs.ts";
import {
  deletedTraces,
  deleteTracesQuery,
  listTracesQuery,
  sessionParams,
  sessionSpans,
  streamTracesQuery,
  submitTraceReply,
  submittedTrace,
  traceDetail,
  traceList,
  traceParams,
} from "./http/traces.ts";
import { deadlines, limits } from "./limits.ts";
import type { BodyContract, ResponseContract, Route } from "./route.ts";

const prefix = "/api/v1";

const error = (description: string): ResponseContract => ({ description, schema: errorBody });
const globalError = (description: string): ResponseContract => ({ description, schema: globalErrorBody });
const json = (schema: z.ZodType, required = true): BodyContract => ({
  kind: "json",
  schema,
  maxBytes: limits.jsonBodyMaxBytes,
  required,
});

const dataPlane = {
  authentication: ["key"],
  rateGroup: "dataPlane",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
} as const;

const otlp = {
  method: "POST",
  owner: "ingest",
  authentication: ["key", "authorization"],
  rateGroup: "dataPlane",
  envelope: "otlp",
  deadlineMs: deadlines.gatewayHopMs,
  body: { kind: "otlp", schema: otlpExport, maxBytes: limits.otlpBodyMaxBytes, required: false },
} as const;

const evaluation = { ...dataPlane, owner: "eval-runs", keyRateGroup: "evaluation" } as const;

/** An import is read as fast as it is stored: a quarter of an hour is a hundred times what it needs. */
const importDeadlineMs = 15 * 60_000;

/** One path for each entity, so that each is forwarded to the service that has it. */
const exportOf = <const Id extends string, Entity extends ExportEntity>(id: Id, entity: Entity, what: string) => ({
  ...dataPlane,
  id,
  method: "GET" as const,
  path: `${prefix}/export/${entity}`,
  owner: exportEntities[entity],
  query: exportQuery,
  responses: {
    200: { description: `One line for each of the ${what}, by id.`, schema: null, contentType: "application/x-ndjson" },
    400: error("`since` is no ISO 8601 date."),
  },
  streaming: true as const,
  summary: `Export the ${what}.`,
  section: "completions 13",
});

const bodyRefusals = {
  400: globalError("The body is not JSON, or not UTF-8."),
  413: globalError("The body is larger than 10 MiB, on the wire or inflated."),
  415: globalError("The content type, charset or content encoding is not supported."),
};

/** A body's refusals on routes that also check it themselves: both envelopes occur at 400. */
const checkedBody = {
  ...bodyRefusals,
  400: { description: "The body is not JSON, or a field is wrong.", schema: z.union([errorBody, globalErrorBody]) },
};

/** Every public route (interface: Endpoints). Order is the order of the OpenAPI document. */
export const routes = {
  submitTrace: {
    ...dataPlane,
    id: "submitTrace",
    method: "POST",
    path: `${prefix}/ingest/traces`,
    owner: "ingest",
    keyRateGroup: "ingest",
    body: json(submittedTrace),
    responses: {
      201: { description: "Committed; the next read sees it.", schema: submitTraceReply },
      ...bodyRefusals,
      422: { description: "The payload is invalid; nothing was stored.", schema: validationErrorBody },
    },
    summary: "Submit one agent run.",
    section: "interface: POST ingest/traces",
  },
  listTraces: {
    ...dataPlane,
    id: "listTraces",
    method: "GET",
    path: `${prefix}/ingest/traces`,
    owner: "ingest",
    query: listTracesQuery,
    responses: {
      200: { description: "Root traces, newest first.", schema: traceList },
      400: error("The cursor is not a trace id."),
    },
    summary: "List root traces.",
    section: "interface: GET ingest/traces",
  },
  streamTraces: {
    ...dataPlane,
    id: "streamTraces",
    method: "GET",
    path: `${prefix}/ingest/traces/stream`,
    owner: "ingest",
    query: streamTracesQuery,
    responses: {
      200: {
        description:
          "Server-sent events: `trace` with a list item, `reset` when what came between is lost. `Last-Event-ID` resumes for an hour.",
        schema: null,
        contentType: "text/event-stream",
      },
    },
    streaming: true,
    summary: "Follow root traces as they are stored.",
    section: "decisions: Streams",
  },
  getTrace: {
    ...dataPlane,
    id: "getTrace",
    method: "GET",
    path: `${prefix}/ingest/traces/{traceId}`,
    owner: "ingest",
    params: traceParams,
    responses: {
      200: { description: "The trace.", schema: traceDetail },
      404: error("No such trace in the project."),
    },
    summary: "Read one trace.",
    section: "interface: GET ingest/traces/{traceId}",
  },
  deleteTrace: {
    ...dataPlane,
    id: "deleteTrace",
    method: "DELETE",
    path: `${prefix}/ingest/traces/{traceId}`,
    owner: "ingest",
    params: traceParams,
    responses: {
      200: { description: "The trace is gone, with every span of it.", schema: deletedTraces },
      404: error("No such trace in the project."),
    },
    summary: "Delete one trace.",
    section: "decision record 15",
  },
  deleteTraces: {
    ...dataPlane,
    id: "deleteTraces",
    method: "DELETE",
    path: `${prefix}/ingest/traces`,
    owner: "ingest",
    query: deleteTracesQuery,
    responses: {
      200: { description: "What was deleted, and whether that is all.", schema: deletedTraces },
      400: error("No filter, an unknown one, or a value that is none."),
    },
    summary: "Delete the traces that match.",
    section: "decision record 15",
  },
  listSessionSpans: {
    ...dataPlane,
    id: "listSessionSpans",
    method: "GET",
    path: `${prefix}/ingest/sessions/{sessionId}/spans`,
    owner: "ingest",
    params: sessionParams,
    responses: {
      200: { description: "Every span of the session, by start; empty when unknown.", schema: sessionSpans },
    },
    summary: "Read every span of a session or OpenTelemetry trace.",
    section: "interface: GET ingest/sessions",
  },
  getAgent: {
    ...dataPlane,
    id: "getAgent",
    method: "GET",
    path: `${prefix}/agents/{agentId}`,
    owner: "ingest",
    params: agentParams,
    responses: {
      200: { description: "The agent.", schema: agentReply },
      404: error("No such agent in the project."),
    },
    summary: "Read one agent.",
    section: "interface: GET agents/{id}",
  },
  getUsage: {
    ...dataPlane,
    id: "getUsage",
    method: "GET",
    path: `${prefix}/agent-monitoring/usage`,
    owner: "ingest",
    responses: { 200: { description: "What the project used today, and its quotas.", schema: usage } },
    summary: "Read the day's usage.",
    section: "completions 1.4",
  },
  getRetention: {
    ...dataPlane,
    id: "getRetention",
    method: "GET",
    path: `${prefix}/agent-monitoring/settings/retention`,
    owner: "ingest",
    responses: { 200: { description: "How long traces are kept.", schema: retention } },
    summary: "Read the project's retention.",
    section: "completions 9.8",
  },
  setRetention: {
    ...dataPlane,
    id: "setRetention",
    method: "PUT",
    path: `${prefix}/agent-monitoring/settings/retention`,
    owner: "ingest",
    body: json(submittedRetention),
    responses: { 200: { description: "How long traces are kept from now on.", schema: retention }, ...checkedBody },
    summary: "Set the project's retention.",
    section: "completions 9.8",
  },
  receiveTraces: {
    ...otlp,
    id: "receiveTraces",
    path: `${prefix}/otel/v1/traces`,
    responses: {
      200: { description: "Every valid span is committed; `partialSuccess` counts the rest.", schema: otlpTracesReply },
      ...bodyRefusals,
    },
    summary: "Receive an OTLP trace export, protobuf or JSON.",
    section: "interface: POST otel/v1/traces",
  },
  receiveTracesAtBase: {
    ...otlp,
    id: "receiveTracesAtBase",
    path: `${prefix}/otel`,
    responses: {
      200: { description: "As /otel/v1/traces.", schema: otlpTracesReply },
      ...bodyRefusals,
    },
    summary: "The same for exporters that post to the base address.",
    section: "otlp 1",
  },
  receiveLogs: {
    ...otlp,
    id: "receiveLogs",
    path: `${prefix}/otel/v1/logs`,
    responses: {
      200: { description: "Accepted; a warning says what was ignored.", schema: otlpLogsReply },
      ...bodyRefusals,
    },
    summary: "Receive an OTLP logs export.",
    section: "otlp 7",
  },
  receiveMetrics: {
    ...otlp,
    id: "receiveMetrics",
    path: `${prefix}/otel/v1/metrics`,
    responses: {
      200: { description: "Accepted; metrics are not stored.", schema: otlpMetricsReply },
      ...bodyRefusals,
    },
    summary: "Accept an OTLP metrics export.",
    section: "otlp 7",
  },
  importTraces: {
    ...dataPlane,
    id: "importTraces",
    method: "POST",
    path: `${prefix}/import/traces`,
    owner: "ingest",
    body: { kind: "ndjson", schema: importedLine, maxBytes: limits.importBodyMaxBytes, required: true },
    responses: {
      200: { description: "Every good line is committed; the others are counted.", schema: importReply },
      400: globalError("The body is not what its content encoding says. Whole lines before that are stored."),
      413: globalError("The body is too large; send it in pieces. Whole lines before that are stored."),
      415: globalError("The content type or content encoding is not supported."),
      429: {
        description: "Queue full or daily trace quota. What was done stays done; send the whole again.",
        schema: interruptedImport,
      },
      503: {
        description: "The store is away. What was done stays done; send the whole again.",
        schema: interruptedImport,
      },
    },
    deadlineMs: importDeadlineMs,
    summary: "Take back exported traces, or OTLP/JSON exports, one a line.",
    section: "completions 13",
  },
  exportTraces: exportOf("exportTraces", "traces", "spans of traces"),
  exportAgents: exportOf("exportAgents", "agents", "agents"),
  exportDatasets: exportOf("exportDatasets", "datasets", "datasets"),
  exportDatasetVersions: exportOf("exportDatasetVersions", "dataset-versions", "versions of datasets"),
  exportRuns: exportOf("exportRuns", "runs", "runs"),
  exportRunResults: exportOf("exportRunResults", "run-results", "results of runs"),
  exportProjectSettings: exportOf("exportProjectSettings", "project-settings", "project's own settings"),
  exportUnknown: {
    ...dataPlane,
    id: "exportUnknown",
    method: "GET",
    path: `${prefix}/export/{entity}`,
    owner: "gateway",
    params: exportParams,
    responses: { 404: { description: "There is no such entity; the answer lists them.", schema: unknownExportEntity } },
    summary: "Say which entities there are.",
    section: "completions 13",
  },
  listExports: {
    ...dataPlane,
    id: "listExports",
    method: "GET",
    path: `${prefix}/export`,
    owner: "gateway",
    query: exportQuery,
    responses: {
      200: { description: "What can be exported, with the number of rows.", schema: exportIndex },
      400: error("`since` is no ISO 8601 date."),
    },
    summary: "List what can be exported.",
    section: "completions 13",
  },
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
  getAuthConfig: {
    id: "getAuthConfig",
    method: "GET",
    path: `${prefix}/auth/config`,
    owner: "auth",
    authentication: ["none"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "How to sign in; the default key in default mode.", schema: authConfig } },
    summary: "How clients of this installation authenticate.",
    section: "interface: GET auth/config",
  },
  listProjects: {
    id: "listProjects",
    method: "GET",
    path: `${prefix}/projects`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "Every project with its key.", schema: projectList } },
    summary: "List projects with their keys.",
    section: "completions 12.2",
  },
  createProject: {
    id: "createProject",
    method: "POST",
    path: `${prefix}/projects`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    body: json(submittedProject),
    responses: { 201: { description: "The project with its key.", schema: projectReply }, ...checkedBody },
    summary: "Create a project.",
    section: "completions 12.2",
  },
  rotateProjectKey: {
    id: "rotateProjectKey",
    method: "POST",
    path: `${prefix}/projects/{projectId}/rotate-key`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    params: projectParams,
    responses: {
      200: { description: "The project with its new key; the old one stops at once.", schema: projectReply },
      404: error("No such project, or another project's key."),
    },
    summary: "Replace a project's key.",
    section: "completions 12.2",
  },
  getHealth: {
    id: "getHealth",
    method: "GET",
    path: "/health",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: {
      200: { description: "Everything a request needs is up.", schema: health },
    },
    summary: "Whether requests can be served.",
    section: "decisions: Port and readiness",
  },
  getLiveness: {
    id: "getLiveness",
    method: "GET",
    path: "/health/live",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "The process answers.", schema: health } },
    summary: "Whether the process lives.",
    section: "completions 1.1",
  },
  getReadiness: {
    id: "getReadiness",
    method: "GET",
    path: "/health/ready",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: {
      200: { description: "Every part is ready.", schema: readiness },
      503: { description: "The parts that are not ready, with reasons.", schema: readiness },
    },
    summary: "Which parts are ready.",
    section: "completions 1.1",
  },
  getMetrics: {
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    owner: "gateway",
    authentication: ["metrics"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "Prometheus text.", schema: null, contentType: "text/plain" } },
    summary: "Metrics.",
    section: "interface: GET /metrics",
  },
  getOpenApi: {
    id: "getOpenApi",
    method: "GET",
    path: "/openapi.json",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "This document.", schema: z.looseObject({ openapi: z.string() }) } },
    summary: "The OpenAPI document.",
    section: "completions 1.1",
  },
} as const satisfies Record<string, Route>;

export type RouteId = keyof typeof routes;

/**
 * Further addresses of a route: `/projects` stands at the root too, the operator's routes under the prefix too
 * (decisions: Prefix).
 */
export const routeAliases: readonly { path: string; routeId: RouteId }[] = [
  { path: "/projects", routeId: "listProjects" },
  { path: "/projects", routeId: "createProject" },
  { path: `${prefix}/health`, routeId: "getHealth" },
  { path: `${prefix}/health/live`, routeId: "getLiveness" },
  { path: `${prefix}/health/ready`, routeId: "getReadiness" },
  { path: `${prefix}/metrics`, routeId: "getMetrics" },
];
