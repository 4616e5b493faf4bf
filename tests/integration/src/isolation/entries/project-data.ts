import { randomUUID } from "node:crypto";
import { modelBody, traceBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import { byOwner, lines, list, plain, unchecked } from "./parts.ts";

/** Prices, usage, retention, exports and the import. */
export const projectDataEntries: RouteEntries = {
  // Auth finds models by their owner, independently of the two layers.
  listModels: plain,
  listUnpricedModels: list,
  createModel: { request: (_ids, tenant) => ({ body: modelBody(tenant, randomUUID()) }), own: 201 },
  testModelConnection: {
    request: () => ({ body: { baseUrl: "http://127.0.0.1:1", modelId: "none" } }),
    // A port of another protocol is not called.
    own: 400,
  },
  updateModel: {
    ids: async (tenant) => ({ modelId: await make.model(tenant) }),
    request: (_ids, { canary }) => ({ body: { label: `${canary} label` } }),
    own: 200,
    neverLeaks: { modelId: byOwner },
  },
  deleteModel: {
    ids: async (tenant) => ({ modelId: await make.model(tenant) }),
    own: 200,
    neverLeaks: { modelId: byOwner },
  },
  getUsage: plain,
  getRetention: plain,
  setRetention: { request: (_ids, { retentionDays }) => ({ body: { retentionDays } }), own: 200 },

  readSettings: plain,
  // The key of the installation's own judge: all judges use the key that is stored here.
  setLlmKeys: { request: () => ({ body: { openaiApiKey: "sk-scripted" } }), own: 200 },
  regenerateApiKey: { own: 200, spendsKey: true },
  setPlatformModel: { request: (_ids, { canary }) => ({ body: { model: `gpt-${canary}` } }), own: 200 },

  importTraces: {
    ids: async (tenant) => ({ _id: await make.trace(tenant), agentId: await make.agent(tenant) }),
    request: (ids, tenant) => ({
      body: `${JSON.stringify({ ...traceBody(tenant, { spanId: randomUUID() }), ...ids })}\n`,
      headers: lines,
    }),
    own: 200,
    refused: 200,
    neverLeaks: { _id: unchecked, agentId: unchecked },
  },
  exportTraces: list,
  exportAgents: list,
  exportScores: list,
  exportMedia: list,
  exportDatasets: list,
  exportDatasetVersions: list,
  exportRuns: list,
  exportRunResults: list,
  exportGateResults: list,
  exportEvaluationSettings: list,
  exportEvaluationSettingsVersions: list,
  exportEvaluationAnalyses: list,
  exportScorerGroups: list,
  exportOnlineEvaluators: list,
  exportPrompts: list,
  exportPromptVersions: list,
  exportToolSchemas: list,
  exportToolSchemaVersions: list,
  exportSignals: list,
  exportSignalFeedback: list,
  exportEvents: list,
  exportFeedback: list,
  exportOutcomes: list,
  // No trace of these projects is judged live.
  exportSessionScores: plain,
  exportPatterns: list,
  exportCustomEvaluators: list,
  exportMonitorProfiles: list,
  exportProjectSettings: plain,
  exportAuditEvents: plain,
  exportUnknown: { ids: async () => ({ entity: "nothing" }), own: 404, neverLeaks: { entity: "it names no row" } },
  listExports: plain,
};
