import { z } from "zod";
import { priceChange } from "./bus/model-prices.v1.ts";
import { adminAuditPage, adminAuditQuery, storedAmounts } from "./http/admin.ts";
import { agentCosts, agentCostsQuery } from "./http/agent-figures.ts";
import { exportCountQuery, exportCounts } from "./http/export.ts";
import { ingestCounts, ingestCountsQuery, reportedIngestCounts } from "./http/ingest-health.ts";
import {
  judgedTraceQuery,
  judgedTraceReply,
  scriptTraceQuery,
  scriptTraceReply,
  traceOutputsQuery,
  traceOutputsReply,
  turnsQuery,
  turnsReply,
} from "./http/judging.ts";
import { modelCosts, modelCostsQuery } from "./http/model-comparison.ts";
import { agentFound, agentQuery, agentsFound, agentsQuery } from "./http/profiles.ts";
import { accessSettingsReply, monitoringDefaults, providerKeys } from "./http/project-settings.ts";
import { humanScores, humanScoresQuery, runScores, runScoresQuery } from "./http/scores.ts";
import {
  liveUsageQuery,
  liveUsageReply,
  organizationsQuery,
  organizationsReply,
  recentRootsQuery,
  recentRootsReply,
  traceUsageQuery,
  traceUsageReply,
} from "./http/usage.ts";
import { peerDataRoutes } from "./peer-data-routes.ts";
import type { InternalRoute } from "./route.ts";

/** The project of a key. */
export const resolvedKey = z.object({ projectId: z.uuid(), organizationId: z.uuid().nullable() });

/** The user of a session cookie: the user's organizations and their projects, oldest first. */
const resolvedSession = z.object({
  userId: z.string(),
  memberships: z.array(z.object({ organizationId: z.uuid(), role: z.enum(["owner", "admin", "member"]) })),
  projects: z.array(z.object({ projectId: z.uuid(), organizationId: z.uuid() })),
});

export type ResolvedSession = z.infer<typeof resolvedSession>;

const exportCount = {
  method: "POST",
  path: "/internal/export/count",
  askedBy: ["gateway"],
  body: exportCountQuery,
  reply: exportCounts,
} as const;

const closeProjects = {
  method: "POST",
  path: "/internal/projects/close",
  askedBy: ["gateway"],
  body: z.object({ projectIds: z.array(z.uuid()).min(1) }),
  reply: z.object({}),
} as const;

/** Routes between services; the call graph is generated from them, the public routes and the bus. */
export const internalRoutes = {
  /** The project of a key; `null` when no project has it. The key travels in the body, never in an address. */
  resolveKey: {
    id: "resolveKey",
    method: "POST",
    path: "/internal/keys/resolve",
    owner: "auth",
    askedBy: ["gateway"],
    body: z.object({ apiKey: z.string() }),
    reply: z.object({ key: resolvedKey.nullable() }),
  },
  /**
   * The user of a session cookie and the user's access; `null` for an invalid cookie. The cookie travels in the body.
   */
  resolveSession: {
    id: "resolveSession",
    method: "POST",
    path: "/internal/sessions/resolve",
    owner: "auth",
    askedBy: ["gateway"],
    body: z.object({ cookie: z.string() }),
    reply: z.object({ session: resolvedSession.nullable() }),
  },
  /** The default project's key, for the line at start; `null` if there is none: in multi-tenant mode. */
  readDefaultKey: {
    id: "readDefaultKey",
    method: "POST",
    path: "/internal/keys/default",
    owner: "auth",
    askedBy: ["gateway"],
    body: z.object({}),
    reply: z.object({ apiKey: z.string().nullable() }),
  },
  /** A recorded trace, as far as judging needs it. */
  readTraceForJudging: {
    id: "readTraceForJudging",
    method: "POST",
    path: "/internal/traces/read-for-judging",
    owner: "ingest",
    askedBy: ["eval-runs", "monitor"],
    body: judgedTraceQuery,
    reply: judgedTraceReply,
  },
  /** The outputs of traces that the results of external runs name. */
  readTraceOutputs: {
    id: "readTraceOutputs",
    method: "POST",
    path: "/internal/traces/read-outputs",
    owner: "ingest",
    askedBy: ["eval-runs"],
    body: traceOutputsQuery,
    reply: traceOutputsReply,
  },
  /** A recorded trace with its spans, for scorers that are programs. */
  readTraceForScripts: {
    id: "readTraceForScripts",
    method: "POST",
    path: "/internal/traces/read-for-scripts",
    owner: "ingest",
    askedBy: ["monitor"],
    body: scriptTraceQuery,
    reply: scriptTraceReply,
  },
  /** The questions and answers of a trace or a session, turn by turn: the source of a new case. */
  readTurns: {
    id: "readTurns",
    method: "POST",
    path: "/internal/turns/read",
    owner: "ingest",
    askedBy: ["eval-runs", "monitor"],
    body: turnsQuery,
    reply: turnsReply,
  },
  /** The scores that clients gave a run's results, for its gate. */
  readRunScores: {
    id: "readRunScores",
    method: "POST",
    path: "/internal/scores/of-run",
    owner: "ingest",
    askedBy: ["eval-runs"],
    body: runScoresQuery,
    reply: runScores,
  },
  /** Scores that people gave to traces, for the agreement of judges with people. */
  readHumanScores: {
    id: "readHumanScores",
    method: "POST",
    path: "/internal/scores/of-people",
    owner: "ingest",
    askedBy: ["monitor"],
    body: humanScoresQuery,
    reply: humanScores,
  },
  /** Auth's part of a project's settings; provider keys are masked. */
  readAccessSettings: {
    id: "readAccessSettings",
    method: "POST",
    path: "/internal/settings/read",
    owner: "auth",
    askedBy: ["gateway"],
    body: z.object({ projectId: z.uuid() }),
    reply: accessSettingsReply,
  },
  ...peerDataRoutes,
  /** The name of a project, which Langfuse's clients ask for. */
  readProjectName: {
    id: "readProjectName",
    method: "POST",
    path: "/internal/projects/read-name",
    owner: "auth",
    askedBy: ["dropin"],
    body: z.object({}),
    reply: z.object({ name: z.string() }),
  },
  /** The initial settings of a project's monitors. */
  readMonitoringDefaults: {
    id: "readMonitoringDefaults",
    method: "POST",
    path: "/internal/monitoring-defaults/read",
    owner: "monitor",
    askedBy: ["gateway"],
    body: z.object({ projectId: z.uuid() }),
    reply: z.object({ monitoringDefaults }),
  },
  /** The provider keys of a project's judge calls, and the account that pays for them (decision 27). */
  readProviderKeys: {
    id: "readProviderKeys",
    method: "POST",
    path: "/internal/provider-keys/read",
    owner: "auth",
    askedBy: ["judge"],
    body: z.object({ projectId: z.uuid() }),
    reply: z.object({
      organizationId: z.uuid().nullable(),
      /** In multi-tenant mode: only these keys, and a separate quota of the organization. */
      isTenant: z.boolean(),
      keys: providerKeys,
      platformModel: z.string().nullable(),
      /** Custom models of the project's catalogue, each with an endpoint (decision 29). */
      models: z.array(z.object({ model: z.string(), baseUrl: z.string(), apiKey: z.string().nullable() })).default([]),
      /** The changes to the built-in prices, for the cost of verdicts. */
      prices: z.array(priceChange).default([]),
    }),
  },
  /** Agents of a project, as monitor shows them. */
  findAgents: {
    id: "findAgents",
    method: "POST",
    path: "/internal/agents/find",
    owner: "ingest",
    askedBy: ["monitor"],
    body: agentsQuery,
    reply: agentsFound,
  },
  /** The cost of each model's spans, for the comparison of models. */
  readModelCosts: {
    id: "readModelCosts",
    method: "POST",
    path: "/internal/models/costs",
    owner: "ingest",
    askedBy: ["monitor"],
    body: modelCostsQuery,
    reply: modelCosts,
  },
  /** The cost of each agent's spans, for the figures of agents. */
  readAgentCosts: {
    id: "readAgentCosts",
    method: "POST",
    path: "/internal/agents/costs",
    owner: "ingest",
    askedBy: ["monitor"],
    body: agentCostsQuery,
    reply: agentCosts,
  },
  /** One agent by id or name, registered if requested; null = there is none. */
  resolveAgent: {
    id: "resolveAgent",
    method: "POST",
    path: "/internal/agents/resolve",
    owner: "ingest",
    askedBy: ["monitor"],
    body: agentQuery,
    reply: agentFound,
  },
  /** The number of rows that each service would export of a project: the source of the gateway's index of exports. */
  countIngestExport: { ...exportCount, id: "countIngestExport", owner: "ingest" },
  countEvalRunsExport: { ...exportCount, id: "countEvalRunsExport", owner: "eval-runs" },
  countMonitorExport: { ...exportCount, id: "countMonitorExport", owner: "monitor" },
  countAuthExport: { ...exportCount, id: "countAuthExport", owner: "auth" },
  /** Deleted projects: after the answer nothing more is stored in them (decision 24). */
  closeIngestProjects: { ...closeProjects, id: "closeIngestProjects", owner: "ingest" },
  closeEvalRunsProjects: { ...closeProjects, id: "closeEvalRunsProjects", owner: "eval-runs" },
  closeMonitorProjects: { ...closeProjects, id: "closeMonitorProjects", owner: "monitor" },
  /** Organizations and their projects, for the gateway's sums of usage. */
  readOrganizations: {
    id: "readOrganizations",
    method: "POST",
    path: "/internal/organizations/read",
    owner: "auth",
    askedBy: ["gateway"],
    body: organizationsQuery,
    reply: organizationsReply,
  },
  /** All administrative acts, for the operator. */
  readAudit: {
    id: "readAudit",
    method: "POST",
    path: "/internal/audit/read",
    owner: "auth",
    askedBy: ["gateway"],
    body: adminAuditQuery,
    reply: adminAuditPage,
  },
  /** Root traces of the last 24 hours, for the operator's overview. */
  countRecentRoots: {
    id: "countRecentRoots",
    method: "POST",
    path: "/internal/usage/recent-roots",
    owner: "ingest",
    askedBy: ["gateway"],
    body: recentRootsQuery,
    reply: recentRootsReply,
  },
  /** What the database of the traces holds, for the operator. */
  readStoredAmounts: {
    id: "readStoredAmounts",
    method: "POST",
    path: "/internal/stored-amounts/read",
    owner: "ingest",
    askedBy: ["gateway"],
    body: z.object({}),
    reply: storedAmounts,
  },
  /** A project's live judge calls today, for its usage. */
  readLiveUsage: {
    id: "readLiveUsage",
    method: "POST",
    path: "/internal/usage/live-judging",
    owner: "monitor",
    askedBy: ["gateway"],
    body: liveUsageQuery,
    reply: liveUsageReply,
  },
  /** A project's stored traces today, for its usage. */
  readTraceUsage: {
    id: "readTraceUsage",
    method: "POST",
    path: "/internal/usage/today",
    owner: "ingest",
    askedBy: ["gateway"],
    body: traceUsageQuery,
    reply: traceUsageReply,
  },
  /** A gateway's counts of requests with telemetry, to be summed over gateways (decision 44). */
  recordIngestCounts: {
    id: "recordIngestCounts",
    method: "POST",
    path: "/internal/ingest-counts/record",
    owner: "ingest",
    askedBy: ["gateway"],
    body: reportedIngestCounts,
    reply: z.object({}),
  },
  /** The summed counts of a project since a point in time. */
  readIngestCounts: {
    id: "readIngestCounts",
    method: "POST",
    path: "/internal/ingest-counts/read",
    owner: "ingest",
    askedBy: ["gateway"],
    body: ingestCountsQuery,
    reply: ingestCounts,
  },
} as const satisfies Record<string, InternalRoute>;
