import { randomUUID } from "node:crypto";
import { datasetBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import { compared, dataset, lines, list, ownProject, trace, unchecked } from "./parts.ts";

const addedCase = (canary: string, traceId?: string) => ({
  main_question: { query: `${canary} asked?` },
  source: { traceId },
});

/** Datasets. */
export const datasetsEntries: RouteEntries = {
  createDataset: [
    { request: (_ids, tenant) => ({ body: datasetBody(tenant) }), own: 201 },
    {
      ids: ownProject,
      request: (ids, tenant) => ({ body: datasetBody(tenant, ids) }),
      own: 201,
      refused: 403,
      malformed: { workspaceId: 201 },
      neverLeaks: { workspaceId: compared },
    },
  ],
  listDatasets: [
    list,
    { request: () => ({ query: { view: "summary" } }), own: 200, shows: true },
    {
      ids: async (tenant) => ({ cursor: await make.dataset(tenant) }),
      request: (ids) => ({ query: { view: "summary", ...ids } }),
      own: 200,
      refused: 200,
      malformed: { cursor: 400 },
      isPosition: ["cursor"],
      leaksByChance: { cursor: "it shows what is older, and whether anybody's is, is chance" },
    },
  ],
  getDataset: { ids: dataset, own: 200, shows: true },
  updateDataset: {
    ids: async (tenant) => ({ ...(await dataset(tenant)), ...(await ownProject(tenant)) }),
    request: ({ workspaceId }, tenant) => ({ body: datasetBody(tenant, { workspaceId, description: tenant.canary }) }),
    own: 200,
    refused: { datasetId: 404, workspaceId: 403 },
    malformed: { workspaceId: 200 },
    neverLeaks: { workspaceId: compared },
  },
  deleteDataset: { ids: dataset, own: 200 },
  addCases: [
    {
      ids: dataset,
      request: (_ids, { canary }) => ({ body: { dedupe: false, case: addedCase(canary, randomUUID()) } }),
      own: 201,
    },
    {
      ids: async (tenant) => ({ ...(await dataset(tenant)), traceId: await make.trace(tenant) }),
      request: ({ traceId }, { canary }) => ({ body: { dedupe: false, case: addedCase(canary, traceId) } }),
      own: 201,
      refused: { datasetId: 404, traceId: 201 },
      hasCounts: true,
      neverLeaks: { traceId: unchecked },
    },
  ],
  putCase: {
    ids: dataset,
    request: (_ids, { canary }) => ({
      params: { questionIndex: "0" },
      query: { version: "1" },
      body: { main_question: { query: `${canary} put?` } },
    }),
    own: 200,
    shows: true,
  },
  deleteCase: {
    ids: dataset,
    request: () => ({ params: { questionIndex: "0" }, query: { version: "1" } }),
    own: 200,
  },
  previewCase: [
    { ids: trace, request: (ids) => ({ body: ids }), own: 200, shows: true },
    {
      ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
      request: (ids) => ({ body: ids }),
      own: 200,
      shows: true,
    },
  ],
  suggestExpected: { request: (_ids, { canary }) => ({ body: { query: `${canary}?` } }), own: 200, shows: true },
  importDataset: {
    request: (_ids, { canary }) => ({
      query: { name: `${canary} import` },
      body: `${JSON.stringify({ query: `${canary} imported?` })}\n`,
      headers: lines,
    }),
    own: 201,
    shows: true,
  },
  importCases: {
    ids: dataset,
    request: (_ids, { canary }) => ({
      query: { version: "1" },
      body: `${JSON.stringify({ query: `${canary} imported?` })}\n`,
      headers: lines,
    }),
    own: 200,
    shows: true,
  },
  listDatasetVersions: { ids: dataset, own: 200, shows: true },
  deleteDatasetVersion: {
    ids: make.versionedDataset,
    own: 200,
    refused: { datasetId: 404, versionId: 200 },
    neverLeaks: { versionId: "a version is found below its dataset only" },
  },
  countDatasetVersions: {
    ids: async (tenant) => ({ ids: await make.dataset(tenant) }),
    request: (ids) => ({ query: ids }),
    own: 200,
    refused: 200,
  },
};
