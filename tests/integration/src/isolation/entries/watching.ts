import { customEvaluatorBody, patternBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries, RouteEntry } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";
import { list, plain, trace, unchecked } from "./parts.ts";

const pattern = async (tenant: Tenant) => ({ patternId: await make.pattern(tenant) });

/** One for each tenant: no route deletes a signal, and a signal is raised only after its trace was checked. */
const signals = new WeakMap<Tenant, Promise<string>>();
async function signal(tenant: Tenant) {
  const made = signals.get(tenant) ?? make.signal(tenant);
  signals.set(tenant, made);
  return { signalId: await made };
}
const evaluator = async (tenant: Tenant) => ({ customEvaluatorId: await make.customEvaluator(tenant) });
const agent = async (tenant: Tenant) => ({ agentId: await make.watchedAgent(tenant) });

const changed: RouteEntry = {
  ids: pattern,
  request: (_ids, { canary }) => ({ body: { description: canary } }),
  own: 200,
  shows: true,
};
const removed: RouteEntry = { ids: pattern, own: 204 };
const triaged: RouteEntry = {
  ids: signal,
  request: (_ids, { canary }) => ({ body: { reviewStatus: canary } }),
  own: 200,
  shows: true,
};

const unjudged = "nothing of these projects is judged live, so there is no verdict to show";

// A scorer that judged nothing has the same answer as a missing one.
const agreement: RouteEntry = {
  ids: async (tenant) => ({ scorerKey: await make.judgeScorer(tenant) }),
  own: 200,
  refused: 200,
  neverLeaks: { scorerKey: unjudged },
};

/** Agents with their profiles, patterns, signals. */
export const watchingEntries: RouteEntries = {
  listAgents: list,
  listTrackedAgents: list,
  setTrackedAgent: {
    ids: agent,
    request: ({ agentId }) => ({ body: { agentId, tracked: true } }),
    own: 200,
    refused: 403,
    malformed: { agentId: 404 },
    shows: true,
  },
  // A missing agent is answered like one without a profile.
  getProfile: { ids: agent, own: 200, refused: 200, shows: true },
  setProfile: {
    ids: agent,
    // A value that is not an id is a name and would be registered, and other routes would then find it.
    request: ({ agentId = "" }, { canary }) => ({
      body: agentId.length === 36 ? { thresholdOverrides: { note: canary } } : { enabled: canary },
    }),
    own: 200,
    malformed: { agentId: 400 },
    shows: true,
  },
  setMonitoringDefaults: { request: () => ({ body: { topicsEnabled: false } }), own: 200 },
  createPattern: { request: (_ids, tenant) => ({ body: patternBody(tenant) }), own: 201, shows: true },
  listPatterns: list,
  // Another tenant's trace is reported as missing, like any other: the answer is 200 all the same.
  tryPattern: [
    { request: () => ({ body: { regex: "[a-z]" } }), own: 200 },
    {
      ids: trace,
      request: ({ traceId }) => ({ body: { regex: "[a-z]", traceIds: [traceId] } }),
      own: 200,
      refused: 200,
      shows: true,
    },
  ],
  generateRegex: { request: (_ids, { canary }) => ({ body: { description: canary } }), own: 200, shows: true },
  getPattern: { ids: pattern, own: 200, shows: true },
  updatePattern: changed,
  patchPattern: changed,
  deletePattern: removed,
  updateMonitoringPattern: changed,
  patchMonitoringPattern: changed,
  deleteMonitoringPattern: removed,
  listSignals: [
    list,
    {
      ids: async (tenant) => ({ agentId: await make.watchedAgent(tenant) }),
      request: ({ agentId }) => ({ query: { agentId: agentId ?? "" } }),
      own: 200,
      refused: 200,
      neverLeaks: { agentId: "it narrows the project's own list" },
    },
  ],
  getSignal: { ids: signal, own: 200, shows: true },
  listSignalEvents: { ids: signal, own: 200 },
  updateSignal: triaged,
  updateMonitoringSignal: triaged,
  createSignalFeedback: {
    ids: signal,
    request: (_ids, { canary }) => ({ body: { metric: "tone", rationale: canary } }),
    own: 201,
    shows: true,
  },
  createFeedback: {
    ids: trace,
    request: ({ traceId }, { canary }) => ({ body: { traceId, rating: "down", comment: canary } }),
    own: 201,
    shows: true,
  },
  // An object without votes has the same answer as a missing one.
  listFeedback: {
    ids: async (tenant) => ({ traceId: await make.votedTrace(tenant) }),
    own: 200,
    refused: 200,
    shows: true,
  },
  listVotes: list,
  createOutcome: {
    ids: trace,
    request: ({ traceId }, { canary }) => ({
      body: { traceId, outcome: "refunded", isNegative: false, reason: canary },
    }),
    own: 201,
    refused: 201,
    neverLeaks: { traceId: unchecked },
    shows: true,
  },
  readKpis: plain,
  readTrend: plain,
  readPerformance: plain,
  readTopFailing: plain,
  readAgentFigures: plain,
  readIngestHealth: plain,
  readModelComparison: plain,
  readCalibration: plain,
  listAgreementPairs: agreement,
  drawAgreementSample: agreement,
  // An object without scores has the same answer as a missing one.
  listTraceEvaluations: {
    ids: async (tenant) => ({ traceId: await make.trace(tenant) }),
    own: 200,
    refused: 200,
    neverLeaks: { traceId: unjudged },
  },
  listSessionScores: {
    ids: async (tenant) => ({ sessionId: await make.session(tenant) }),
    own: 200,
    refused: 200,
    neverLeaks: { sessionId: unjudged },
  },
  runSessionSweep: { own: 200 },
  createCustomEvaluator: { request: (_ids, tenant) => ({ body: customEvaluatorBody(tenant) }), own: 201, shows: true },
  listCustomEvaluators: list,
  // The answer reports a missing trace.
  tryCustomEvaluator: {
    ids: trace,
    request: ({ traceId }, tenant) => ({ body: { ...customEvaluatorBody(tenant), traceId } }),
    own: 200,
    hasCounts: true,
    refused: 200,
  },
  updateCustomEvaluator: {
    ids: evaluator,
    request: (_ids, { canary }) => ({ body: { name: canary } }),
    own: 200,
    shows: true,
  },
  deleteCustomEvaluator: { ids: evaluator, own: 204 },
  listCustomEvaluatorEvents: { ids: evaluator, own: 200 },
  readTopics: plain,
  readTopicMap: plain,
};
