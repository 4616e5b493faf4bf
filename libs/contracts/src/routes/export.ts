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
} from "../http/export.ts";
import { limits } from "../limits.ts";
import type { Route } from "../route.ts";
import { dataPlane, error, globalError, prefix } from "./route-parts.ts";

/** An import is read as fast as it is stored: a quarter of an hour is a hundred times the usual duration. */
const importDeadlineMs = 15 * 60_000;

/** One path for each entity, so that each is forwarded to the service that owns it. */
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

/** Imports and exports. */
export const exportRoutes = {
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
        description: "The store is unavailable. What was done stays done; send the whole again.",
        schema: interruptedImport,
      },
    },
    deadlineMs: importDeadlineMs,
    summary: "Take back exported traces, or OTLP/JSON exports, one a line.",
    section: "completions 13",
  },
  exportTraces: exportOf("exportTraces", "traces", "spans of traces"),
  exportAgents: exportOf("exportAgents", "agents", "agents"),
  exportScores: exportOf("exportScores", "scores", "scores that clients gave"),
  exportMedia: exportOf("exportMedia", "media", "media, once for each trace or item that has them"),
  exportDatasets: exportOf("exportDatasets", "datasets", "datasets"),
  exportDatasetVersions: exportOf("exportDatasetVersions", "dataset-versions", "versions of datasets"),
  exportRuns: exportOf("exportRuns", "runs", "runs"),
  exportRunResults: exportOf("exportRunResults", "run-results", "results of runs"),
  exportGateResults: exportOf("exportGateResults", "gate-results", "kept verdicts of gates"),
  exportEvaluationSettings: exportOf("exportEvaluationSettings", "evaluation-settings", "grading configs"),
  exportEvaluationSettingsVersions: exportOf(
    "exportEvaluationSettingsVersions",
    "evaluation-settings-versions",
    "versions of grading configs",
  ),
  exportEvaluationAnalyses: exportOf("exportEvaluationAnalyses", "evaluation-analyses", "analyses of runs"),
  exportScorerGroups: exportOf("exportScorerGroups", "scorer-groups", "scorer groups"),
  exportOnlineEvaluators: exportOf("exportOnlineEvaluators", "online-evaluators", "live profiles of judges"),
  exportPrompts: exportOf("exportPrompts", "prompts", "prompts"),
  exportPromptVersions: exportOf("exportPromptVersions", "prompt-versions", "versions of prompts"),
  exportToolSchemas: exportOf("exportToolSchemas", "tool-schemas", "tool schemas"),
  exportToolSchemaVersions: exportOf("exportToolSchemaVersions", "tool-schema-versions", "versions of tool schemas"),
  exportSignals: exportOf("exportSignals", "signals", "signals"),
  exportSignalFeedback: exportOf("exportSignalFeedback", "signal-feedback", "feedback on signals"),
  exportEvents: exportOf("exportEvents", "events", "findings in traces"),
  exportFeedback: exportOf("exportFeedback", "feedback", "votes on traces"),
  exportOutcomes: exportOf("exportOutcomes", "outcomes", "reports of how things ended"),
  exportCustomEvaluators: exportOf("exportCustomEvaluators", "custom-evaluators", "custom scorers"),
  exportSessionScores: exportOf("exportSessionScores", "session-scores", "scores of sessions"),
  exportPatterns: exportOf("exportPatterns", "patterns", "project's own patterns"),
  exportMonitorProfiles: exportOf("exportMonitorProfiles", "monitor-profiles", "monitoring profiles"),
  exportProjectSettings: exportOf("exportProjectSettings", "project-settings", "project's own settings"),
  exportAuditEvents: exportOf("exportAuditEvents", "audit-events", "administrative acts on the project"),
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
} as const satisfies Record<string, Route>;
