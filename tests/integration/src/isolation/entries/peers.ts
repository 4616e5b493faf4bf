import { randomUUID } from "node:crypto";
import { mediaBody, promptBody, shared, sharedMedia } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";
import { list, media, plain, trace, traceBesideMedia, unchecked } from "./parts.ts";

const langfusePrompt = (tenant: Tenant) => {
  const { text, ...prompt } = promptBody(tenant);
  return { ...prompt, prompt: text };
};

const promptName = async (tenant: Tenant) => ({ promptName: await make.promptName(tenant) });

const datasetName = async (tenant: Tenant) => ({ datasetName: await make.namedDataset(tenant) });
const itemId = async (tenant: Tenant) => ({ itemId: await make.datasetItem(tenant) });

const experiment = async (tenant: Tenant) => ({ datasetName: (await make.datasetOfExperiment(tenant)).datasetName });

const langfuseEvent = (type: string, body: unknown) => ({
  id: randomUUID(),
  type,
  timestamp: "2026-11-20T10:00:00Z",
  body,
});

const toolCall = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

/** The paths of other systems' clients. */
export const peersEntries: RouteEntries = {
  getLangfuseHealth: plain,
  listLangfuseProjects: plain,
  ingestLangfuseBatch: [
    {
      ids: async (tenant) => ({ traceId: await make.trace(tenant) }),
      request: (ids, { canary }) => ({
        body: { batch: [langfuseEvent("score-create", { ...ids, name: `${canary} score`, value: 1 })] },
      }),
      own: 207,
      refused: 207,
      malformed: { traceId: 207 },
      neverLeaks: { traceId: unchecked },
    },
    {
      request: (_ids, { canary }) => ({
        body: {
          batch: [
            langfuseEvent("span-create", { id: shared.spanId, traceId: shared.sessionId, name: `${canary} span` }),
          ],
        },
      }),
      own: 207,
    },
  ],
  createLangfuseScore: {
    ids: async (tenant) => ({ traceId: await make.trace(tenant) }),
    request: (ids, { canary }) => ({ body: { ...ids, name: `${canary} score`, value: 1 } }),
    own: 200,
    refused: 200,
    malformed: { traceId: 200 },
    neverLeaks: { traceId: unchecked },
  },
  createLangfusePrompt: {
    request: (_ids, tenant) => ({ body: langfusePrompt(tenant) }),
    own: 201,
    shows: true,
  },
  listLangfusePrompts: list,
  getLangfusePrompt: {
    ids: promptName,
    request: () => ({ query: { label: "latest" } }),
    own: 200,
    shows: true,
  },
  createLangfuseDataset: {
    request: (_ids, { canary }) => ({ body: { name: `${canary} named`, metadata: { canary } } }),
    own: 200,
    shows: true,
  },
  listLangfuseDatasets: list,
  getLangfuseDataset: { ids: datasetName, own: 200, shows: true },
  createLangfuseDatasetItem: {
    ids: datasetName,
    request: ({ datasetName }, { canary }) => ({ body: { datasetName, input: canary } }),
    own: 200,
    shows: true,
  },
  listLangfuseDatasetItems: { ids: datasetName, request: (ids) => ({ query: ids }), own: 200, shows: true },
  getLangfuseDatasetItem: [
    { ids: itemId, own: 200, shows: true },
    {
      ids: async (tenant) => ({ itemId: `${await make.dataset(tenant)}:0` }),
      own: 200,
      shows: true,
    },
  ],
  createLangfuseRunItem: {
    ids: async (tenant) => ({ datasetItemId: await make.datasetItem(tenant) }),
    request: (ids, { canary }) => ({ body: { ...ids, runName: `${canary} run`, traceId: shared.sessionId } }),
    own: 200,
    shows: true,
  },
  listLangfuseRunItems: {
    ids: async (tenant) => ({ datasetId: (await make.datasetOfExperiment(tenant)).datasetId }),
    request: (ids) => ({ query: { ...ids, runName: shared.runName } }),
    own: 200,
    refused: 200,
    malformed: { datasetId: 200 },
    shows: true,
  },
  listLangfuseRuns: {
    ids: experiment,
    own: 200,
    shows: true,
  },
  getLangfuseRun: {
    ids: experiment,
    request: () => ({ params: { runName: shared.runName } }),
    own: 200,
    shows: true,
  },
  deleteLangfuseRun: { ids: experiment, request: () => ({ params: { runName: shared.runName } }), own: 200 },
  registerLangfuseMedia: {
    ids: traceBesideMedia,
    request: (ids) => {
      const { sha256, ...body } = mediaBody(sharedMedia);
      return { body: { ...body, ...ids, sha256Hash: sha256 } };
    },
    own: 201,
    refused: 201,
    malformed: { traceId: 201 },
    neverLeaks: { traceId: unchecked },
  },
  reportLangfuseUpload: { ids: media, request: () => ({ body: { uploadHttpStatus: 200 } }), own: 204 },
  getLangfuseMedia: { ids: media, own: 200 },
  labelLangfusePrompt: {
    ids: promptName,
    request: () => ({ params: { version: "1" }, body: { newLabels: ["production"] } }),
    own: 200,
    shows: true,
  },
  callMcp: [
    { request: () => ({ body: toolCall("search_traces", {}) }), own: 200, shows: true },
    {
      ids: trace,
      request: (ids) => ({ body: toolCall("get_trace", ids) }),
      own: 200,
      refused: 200,
      shows: true,
    },
    {
      ids: async (tenant) => ({ runId: await make.openRun(tenant) }),
      request: (ids) => ({ query: { write: "1" }, body: toolCall("start_run", ids) }),
      own: 200,
      refused: 200,
      shows: true,
    },
  ],
};
