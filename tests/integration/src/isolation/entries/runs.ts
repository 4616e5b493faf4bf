import { randomUUID } from "node:crypto";
import { resultBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";
import { compared, dataset, list, position, references, settings, trace } from "./parts.ts";

const group = async (tenant: Tenant) => ({ scorerGroupId: await make.scorerGroup(tenant) });
const openRun = async (tenant: Tenant) => ({ runId: await make.openRun(tenant) });
const run = async (tenant: Tenant) => ({ runId: await make.run(tenant) });
/** Has many questions, so that each request of the matrix answers a different one. */
const ciRun = async (tenant: Tenant) => {
  const questions = Array.from({ length: 40 }, () => ({ main_question: { query: `${tenant.canary} question?` } }));
  return { ciRunId: await make.ciRun(tenant, await make.dataset(tenant, { questions })) };
};

/** Runs, their analyses and gates, CI runs. */
export const runsEntries: RouteEntries = {
  createRun: [
    {
      ids: async (tenant) => ({
        ...(await dataset(tenant)),
        ...(await settings(tenant)),
        additionalScorerId: await make.judgeScorer(tenant),
        workspaceId: tenant.projectId,
      }),
      request: ({ additionalScorerId, ...ids }) => ({ body: { ...ids, additionalScorerIds: [additionalScorerId] } }),
      own: 201,
      refused: { datasetId: 404, evaluationSettingsId: 404, additionalScorerId: 404, workspaceId: 403 },
      malformed: { workspaceId: 201 },
      neverLeaks: { datasetId: references, workspaceId: compared },
    },
    {
      ids: async (tenant) => ({ ...(await dataset(tenant)), ...(await group(tenant)) }),
      request: (ids) => ({ body: ids }),
      own: 201,
      neverLeaks: { datasetId: references },
    },
  ],
  listRuns: [
    list,
    {
      ids: async (tenant) => {
        const datasetId = await make.dataset(tenant);
        const [cursor] = [await make.openRun(tenant, { datasetId }), await make.openRun(tenant, { datasetId })];
        return { datasetId, cursor };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: { datasetId: 200, cursor: 200 },
      malformed: { cursor: 400 },
      isPosition: ["cursor"],
      neverLeaks: { cursor: position },
    },
  ],
  getRun: { ids: run, own: 200, shows: true },
  listMissingResults: { ids: openRun, own: 200 },
  listResults: {
    ids: async (tenant) => {
      const datasetId = await make.dataset(tenant);
      return { runId: await make.run(tenant, { datasetId }), baseline: await make.run(tenant, { datasetId }) };
    },
    request: ({ baseline = "" }) => ({ query: { baseline } }),
    own: 200,
    shows: true,
  },
  deleteRun: { ids: run, own: 200 },
  submitResults: [
    {
      ids: openRun,
      request: (_ids, tenant) => ({ body: { batchId: randomUUID(), results: [resultBody(tenant)] } }),
      own: 200,
      shows: true,
    },
    {
      // The judge of this run sees the trace's tool calls: another project's must look like none.
      ids: async (tenant) => ({
        runId: await make.openRun(tenant, { evaluationSettingsId: await make.settings(tenant) }),
        ...(await trace(tenant)),
      }),
      request: ({ traceId }, tenant) => ({
        body: { batchId: randomUUID(), results: [resultBody(tenant, { traceId })] },
      }),
      own: 200,
      refused: { runId: 404, traceId: 200 },
      hasCounts: true,
    },
  ],
  readVerdict: { ids: async (tenant) => ({ verdictId: await make.verdict(tenant) }), own: 200, shows: true },
  rescoreRun: [
    { ids: run, own: 200 },
    {
      ids: async (tenant) => ({
        runId: await make.openRun(tenant, { runSource: "external" }),
        ...(await settings(tenant)),
      }),
      request: ({ evaluationSettingsId }) => ({ body: { evaluationSettingsId } }),
      own: 200,
    },
  ],
  streamRun: { ids: run, own: 200 },
  finalizeRun: { ids: openRun, own: 200 },
  evaluateTrace: [
    {
      ids: async (tenant) => ({ ...(await trace(tenant)), ...(await dataset(tenant)), workspaceId: tenant.projectId }),
      request: ({ datasetId, workspaceId }) => ({ body: { datasetId, workspaceId } }),
      own: 200,
      refused: { traceId: 404, datasetId: 404, workspaceId: 403 },
      malformed: { workspaceId: 200 },
      neverLeaks: { datasetId: references, workspaceId: compared },
      shows: true,
    },
    {
      // A grading config can replace the dataset.
      ids: async (tenant) => ({ ...(await trace(tenant)), datasetId: await make.settings(tenant) }),
      request: ({ datasetId }) => ({ body: { datasetId } }),
      own: 200,
      shows: true,
    },
  ],

  analyzeRun: { ids: run, own: 200 },
  getAnalysisStatus: { ids: async (tenant) => ({ runId: await make.analyzedRun(tenant) }), own: 200 },
  getReport: { ids: async (tenant) => ({ runId: await make.analyzedRun(tenant) }), own: 200, shows: true },
  gateRun: [
    { ids: run, request: () => ({ query: { failUnder: "5", record: "true" } }), own: 200 },
    {
      ids: async (tenant) => {
        const datasetId = await make.dataset(tenant);
        return { baseline: await make.run(tenant, { datasetId }), runId: await make.run(tenant, { datasetId }) };
      },
      request: ({ baseline }) => ({ query: { noRegression: "true", ...(baseline !== undefined && { baseline }) } }),
      own: 200,
    },
  ],
  listGates: [
    list,
    {
      ids: async (tenant) => {
        const datasetId = await make.dataset(tenant);
        await make.recordedGate(tenant, datasetId);
        return { datasetId };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      shows: true,
    },
  ],
  previewGate: {
    ids: async (tenant) => {
      const datasetId = await make.dataset(tenant);
      await make.run(tenant, { datasetId });
      return { datasetId };
    },
    request: (ids) => ({ query: { failUnder: "5", ...ids } }),
    own: 200,
  },
  compareRuns: {
    ids: async (tenant) => {
      const datasetId = await make.dataset(tenant);
      return { baseline: await make.run(tenant, { datasetId }), candidate: await make.run(tenant, { datasetId }) };
    },
    request: (ids) => ({ query: ids }),
    own: 200,
    shows: true,
  },
  compareVersions: {
    ids: async (tenant) => {
      const datasetId = await make.dataset(tenant);
      await make.run(tenant, { datasetId });
      return { datasetId };
    },
    own: 200,
    shows: true,
  },

  createCiRun: {
    ids: async (tenant) => ({ dataset_id: await make.dataset(tenant), workspaceId: tenant.projectId }),
    request: (ids) => ({ body: ids }),
    own: 201,
    refused: { dataset_id: 404, workspaceId: 403 },
    malformed: { workspaceId: 201 },
    neverLeaks: { dataset_id: references, workspaceId: compared },
    shows: true,
  },
  listCiRuns: [
    list,
    {
      ids: async (tenant) => {
        const datasetId = await make.dataset(tenant);
        await make.ciRun(tenant, datasetId);
        return { dataset_id: datasetId, cursor: await make.ciRun(tenant, datasetId) };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      malformed: { cursor: 400 },
      isPosition: ["cursor"],
      neverLeaks: { cursor: position },
      shows: true,
    },
  ],
  getCiRun: { ids: ciRun, own: 200, shows: true },
  submitCiResults: [
    {
      ids: ciRun,
      request: (_ids, { canary }, turn) => ({ body: { question_index: turn, output: canary } }),
      own: 200,
      shows: true,
    },
    {
      ids: async (tenant) => ({ ...(await ciRun(tenant)), trace_id: await make.trace(tenant) }),
      request: ({ trace_id }, { canary }, turn) => ({ body: { question_index: turn, output: canary, trace_id } }),
      own: 200,
      refused: { ciRunId: 404, trace_id: 200 },
      hasCounts: true,
    },
  ],
  finalizeCiRun: { ids: ciRun, own: 200 },
  listTestCases: { ids: dataset, own: 200, shows: true },
};
