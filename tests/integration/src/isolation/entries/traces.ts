import { randomUUID } from "node:crypto";
import { logsBody, mediaBody, newTraceId, otlpBody, shared, sharedMedia, traceBody } from "../bodies.ts";
import { make, send } from "../make-things.ts";
import type { RouteEntries, RouteEntry } from "../route-entry.ts";
import { compared, list, media, plain, position, trace, traceBesideMedia, unchecked } from "./parts.ts";

/** Fixed, so that the answer does not depend on the time of the request. */
const someTime = { from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };

/** They report only sums over spans; another tenant's agent has none. */
const figures: RouteEntry[] = [
  plain,
  {
    ids: async (tenant) => ({ agentId: (await make.sessionOfAgent(tenant)).agentId }),
    request: (ids) => ({ query: ids }),
    own: 200,
    refused: 200,
  },
];

/** Traces, sessions, agents, OpenTelemetry. */
export const tracesEntries: RouteEntries = {
  submitTrace: [
    { request: (_ids, tenant) => ({ body: traceBody(tenant) }), own: 201 },
    {
      ids: async (tenant) => ({
        agent_id: await make.agent(tenant),
        parent_span_id: await make.span(tenant),
        workspaceId: tenant.projectId,
      }),
      request: (ids, tenant) => ({ body: traceBody(tenant, ids) }),
      own: 201,
      refused: { agent_id: 403, parent_span_id: 201, workspaceId: 403 },
      malformed: { workspaceId: 201 },
      neverLeaks: { parent_span_id: unchecked, workspaceId: compared },
    },
  ],
  submitSpanUpdates: [
    {
      request: (_ids, tenant) => ({
        body: {
          updates: [
            { traceId: newTraceId(), spanId: shared.otelSpanId, name: `${tenant.canary} span`, id: "shared-update" },
          ],
        },
      }),
      own: 201,
    },
    {
      // Every project has a span of these ids, which is its own.
      request: (_ids, tenant) => ({
        body: {
          updates: [{ traceId: shared.otelTraceId, spanId: shared.otelUpdatedId, name: `${tenant.canary} span` }],
        },
      }),
      own: 201,
    },
  ],
  listTraces: [
    list,
    {
      ids: async (tenant) => ({
        agentId: (await make.sessionOfAgent(tenant)).agentId,
        cursor: await make.trace(tenant),
      }),
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      malformed: { cursor: 400 },
      isPosition: ["cursor"],
      neverLeaks: { cursor: position },
    },
    {
      ids: async (tenant) => ({ agentId: (await make.sessionOfAgent(tenant)).agentId }),
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      shows: true,
    },
    {
      ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      shows: true,
    },
  ],
  readTraceHistogram: [
    {
      ids: async (tenant) => ({ agentId: (await make.sessionOfAgent(tenant)).agentId }),
      request: (ids) => ({ query: { ...ids, ...someTime } }),
      own: 200,
      refused: 200,
    },
    {
      ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
      request: (ids) => ({ query: { ...ids, ...someTime } }),
      own: 200,
      refused: 200,
    },
  ],
  streamTraces: { request: () => ({ headers: { "last-event-id": "0-0" } }), own: 200 },
  getTrace: { ids: trace, own: 200, shows: true },
  getTraceOutline: { ids: trace, own: 200, shows: true },
  deleteTrace: { ids: trace, own: 200 },
  deleteTraces: [
    {
      ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
    },
    {
      ids: async (tenant) => ({ agentId: (await make.sessionOfAgent(tenant)).agentId }),
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      malformed: { agentId: 400 },
    },
  ],
  listSessionSpans: {
    ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
    own: 200,
    refused: 200,
    shows: true,
  },
  listSessions: list,
  // The same id in two projects is two scores: services/ingest/test/scores.infra.test.ts.
  submitScores: {
    ids: async (tenant) => ({ traceId: await make.trace(tenant), runId: randomUUID() }),
    request: (ids, { canary }) => ({ body: { name: "quality", value: canary, ...ids } }),
    own: 201,
    refused: 201,
    neverLeaks: { traceId: unchecked, runId: unchecked },
  },
  listScores: [
    list,
    {
      ids: async (tenant) => {
        const traceId = await make.trace(tenant);
        await send(tenant, "POST", "/scores", { name: "quality", value: tenant.canary, traceId });
        return { traceId };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      shows: true,
    },
    {
      request: () => ({ query: { cursor: `${Date.parse("2100-01-01T00:00:00Z")}.any` } }),
      own: 200,
      shows: true,
    },
  ],
  getScore: { ids: async (tenant) => ({ scoreId: await make.score(tenant) }), own: 200, shows: true },
  deleteScore: { ids: async (tenant) => ({ scoreId: await make.score(tenant) }), own: 200 },
  registerMedia: {
    ids: traceBesideMedia,
    request: (ids) => ({ body: { ...mediaBody(sharedMedia), ...ids } }),
    own: 201,
    refused: 201,
    malformed: { traceId: 201 },
    neverLeaks: { traceId: unchecked },
  },
  getMedia: { ids: media, own: 200 },
  // An address can be used without a key; here it is forged. The rest is in services/ingest/test/media.infra.test.ts.
  uploadMedia: { request: () => ({ params: { address: "forged" } }), own: 403 },
  readMediaContent: { request: () => ({ params: { address: "forged" } }), own: 403 },
  readMetrics: figures,
  readCostTrend: figures,
  readPromptVersions: { request: () => ({ query: { name: "greeting" } }), own: 200 },
  createAgent: { request: (_ids, { canary }) => ({ body: { name: `${canary} agent` } }), own: 201 },
  getAgent: { ids: async (tenant) => ({ agentId: await make.agent(tenant) }), own: 200, shows: true },

  receiveTraces: { request: (_ids, tenant) => ({ body: otlpBody(tenant, newTraceId()) }), own: 200 },
  receiveTracesAtBase: { request: (_ids, tenant) => ({ body: otlpBody(tenant, newTraceId()) }), own: 200 },
  receiveLogs: { request: (_ids, tenant) => ({ body: logsBody(tenant, newTraceId()) }), own: 200 },
  receiveMetrics: { request: () => ({ body: { resourceMetrics: [] } }), own: 200 },
};
