import { promptBody, settingsBody, toolSchemaBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";
import { list, settings, unchecked } from "./parts.ts";

const scorer = async (tenant: Tenant) => ({ judgeScorerId: await make.judgeScorer(tenant) });
const group = async (tenant: Tenant) => ({ scorerGroupId: await make.scorerGroup(tenant) });
const oneOfMany = "the live scorers of a project are one row, and the first of all such rows is anybody's";
const evaluator = async (tenant: Tenant) => ({ onlineEvaluatorId: await make.onlineEvaluator(tenant) });
const heard = async (tenant: Tenant) => ({ onlineEvaluatorId: await make.heardEvaluator(tenant) });
const toolSchema = async (tenant: Tenant) => ({ toolSchemaId: await make.toolSchema(tenant) });

/** Graders, prompts, tool schemas. */
export const gradersEntries: RouteEntries = {
  createEvaluationSettings: { request: (_ids, tenant) => ({ body: settingsBody(tenant) }), own: 201, shows: true },
  listEvaluationSettings: list,
  listSettingsVersions: { ids: settings, own: 200, shows: true },
  deleteSettingsVersion: {
    ids: make.versionedSettings,
    own: 200,
    refused: { evaluationSettingsId: 404, versionId: 200 },
    neverLeaks: { versionId: "a version is found below its config only" },
  },
  getEvaluationSettings: { ids: settings, own: 200, shows: true },
  updateEvaluationSettings: {
    ids: settings,
    request: (_ids, { canary }) => ({ body: { description: canary } }),
    own: 200,
    shows: true,
  },
  deleteEvaluationSettings: { ids: settings, own: 200 },
  createJudgeScorer: {
    ids: async (tenant) => ({ agentId: await make.agent(tenant) }),
    request: ({ agentId }, { canary }) => ({
      body: { name: `${canary} scorer`, online: { enabled: false, scopeMode: "selected", agentIds: [agentId] } },
    }),
    own: 201,
    refused: 201,
    neverLeaks: { agentId: unchecked },
    shows: true,
  },
  listJudgeScorers: list,
  getJudgeScorer: { ids: scorer, own: 200, shows: true },
  updateJudgeScorer: {
    ids: scorer,
    request: (_ids, { canary }) => ({ body: { description: canary } }),
    own: 200,
    shows: true,
  },
  deleteJudgeScorer: { ids: scorer, own: 200 },
  createOnlineEvaluator: {
    ids: settings,
    request: ({ evaluationSettingsId }, { canary }) => ({
      body: { name: `${canary} evaluator`, evaluationSettingsId, enabled: false },
    }),
    own: 201,
    refused: 400,
    shows: true,
  },
  listOnlineEvaluators: list,
  getOnlineEvaluator: { ids: evaluator, own: 200, shows: true },
  updateOnlineEvaluator: {
    ids: evaluator,
    request: (_ids, { canary }) => ({ body: { name: `${canary} renamed` } }),
    own: 200,
    shows: true,
  },
  deleteOnlineEvaluator: { ids: evaluator, own: 204 },
  readLiveRatings: { ids: heard, own: 200, leaksByChance: { onlineEvaluatorId: oneOfMany } },
  readLiveCalibration: { ids: heard, own: 200, leaksByChance: { onlineEvaluatorId: oneOfMany } },
  listLiveRatingEvents: { ids: heard, own: 200, leaksByChance: { onlineEvaluatorId: oneOfMany } },
  createScorerGroup: {
    ids: async (tenant) => ({ refId: await make.judgeScorer(tenant) }),
    request: (ids, { canary }) => ({ body: { name: `${canary} group`, members: [ids] } }),
    own: 201,
    refused: 400,
    shows: true,
  },
  listScorerGroups: list,
  readGroupRatings: { ids: group, own: 200 },
  getScorerGroup: { ids: group, own: 200, shows: true },
  updateScorerGroup: {
    ids: async (tenant) => ({ ...(await group(tenant)), refId: await make.judgeScorer(tenant) }),
    request: ({ refId }, { canary }) => ({ body: { description: canary, members: [{ refId }] } }),
    own: 200,
    refused: { scorerGroupId: 404, refId: 400 },
    shows: true,
  },
  deleteScorerGroup: { ids: group, own: 200 },

  publishPrompt: { request: (_ids, tenant) => ({ body: promptBody(tenant) }), own: 201, shows: true },
  listPrompts: list,
  getPrompt: [
    { ids: async (tenant) => ({ promptId: await make.prompt(tenant) }), own: 200, shows: true },
    { ids: async (tenant) => ({ promptId: await make.promptName(tenant) }), own: 200, shows: true },
  ],
  labelPrompt: {
    ids: async (tenant) => ({ promptId: await make.prompt(tenant) }),
    request: () => ({ params: { version: "1" }, body: { labels: ["production"] } }),
    own: 200,
    shows: true,
  },
  createToolSchema: { request: (_ids, tenant) => ({ body: toolSchemaBody(tenant) }), own: 201, shows: true },
  listToolSchemas: list,
  getToolSchema: { ids: toolSchema, own: 200, shows: true },
  listToolSchemaVersions: { ids: toolSchema, own: 200, shows: true },
  updateToolSchema: {
    ids: toolSchema,
    request: (_ids, { canary }) => ({ body: { description: `${canary} changed` } }),
    own: 200,
    shows: true,
  },
  publishToolSchema: {
    ids: toolSchema,
    request: (_ids, { canary }) => ({ body: { definition: `${canary} published` } }),
    own: 201,
    shows: true,
  },
  deleteToolSchema: { ids: toolSchema, own: 200 },
};
