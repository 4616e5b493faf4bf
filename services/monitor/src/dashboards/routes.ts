import {
  type agentFigures,
  isUuid,
  lengthOf,
  listStretches,
  type modelComparison,
  type performance,
  readDashboardWindow,
  routes,
  stretchesOf,
  type topFailing,
  type trend,
} from "@touchstone/contracts";
import {
  type Call,
  type Clock,
  type Handler,
  readParameter,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import type { AgreementReader } from "./agreement-reader.ts";
import { composeKpis } from "./compose-kpis.ts";
import { drawAgreementSample } from "./draw-agreement-sample.ts";
import { listAgreementPairs } from "./list-agreement-pairs.ts";
import type { ModelReader } from "./model-reader.ts";
import { readAgreement } from "./read-agreement.ts";
import { noTraffic, ratesOf, shareOf } from "./traffic-counts.ts";
import type { TrafficReader } from "./traffic-reader.ts";

/** Figures of the live traffic (completions 9.5). */
export function dashboardRoutes(dependencies: {
  traffic: TrafficReader;
  models: ModelReader;
  agreement: AgreementReader;
  ingest: IngestClient;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.readKpis, handle: readKpis(dependencies) },
    { route: routes.readTrend, handle: readTrend(dependencies) },
    { route: routes.readPerformance, handle: readPerformance(dependencies) },
    { route: routes.readTopFailing, handle: readTopFailing(dependencies) },
    { route: routes.readAgentFigures, handle: readAgentFigures(dependencies) },
    { route: routes.readModelComparison, handle: readModelComparison(dependencies) },
    { route: routes.readCalibration, handle: readCalibration(dependencies) },
    { route: routes.listAgreementPairs, handle: listAgreementPairs(dependencies) },
    { route: routes.drawAgreementSample, handle: drawAgreementSample(dependencies) },
  ];
}

/** GET /monitor/kpis (completions 9.5): the window ends now, and the previous one ends where it begins. */
function readKpis({ traffic, clock }: { traffic: Pick<TrafficReader, "count">; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const [now, length] = [clock.now(), lengthOf(window)];
    const [start, until] = [new Date(now - length), new Date(now)];
    const [counts, before] = await Promise.all([
      traffic.count(projectId, { since: start, until }),
      traffic.count(projectId, { since: new Date(now - 2 * length), until: start }),
    ]);
    return { status: 200, body: composeKpis(window, start, counts, before) };
  };
}

/** GET /agent-monitoring/trend (completions 9.5). */
function readTrend({ traffic, clock }: { traffic: Pick<TrafficReader, "tally">; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { stretch, since } = stretchesOf(window, now);
    const agent = readAgentFilter(call.query);
    const span = { since, until: new Date(now) };
    const buckets = agent.isUnknown ? [] : await traffic.tally(projectId, stretch, span, agent.id);
    const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
    const points = listStretches(window, now).map(({ start, label, ts }) => {
      const counts = byStart.get(start) ?? noTraffic;
      const { totalRuns, failingRuns, operationalFailingRuns, scorerFailingRuns, votes } = counts;
      const healthyRuns = totalRuns - failingRuns;
      const runs = { totalRuns, healthyRuns, failingRuns, operationalFailingRuns, scorerFailingRuns };
      return { label, ts, ...runs, votes, ...ratesOf(counts) };
    });
    const body: z.input<typeof trend> = { window, points };
    return { status: 200, body };
  };
}

const nothing = { totalRuns: 0, errors: 0, latencyP50: null, latencyP95: null };

/** GET /agent-monitoring/performance (completions 9.5). */
function readPerformance({
  traffic,
  clock,
}: {
  traffic: Pick<TrafficReader, "tallyPerformance">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { stretch, since } = stretchesOf(window, now);
    const buckets = await traffic.tallyPerformance(projectId, stretch, { since, until: new Date(now) });
    const byStart = new Map(buckets.map(({ start, ...bucket }) => [start.getTime(), bucket]));
    const points = listStretches(window, now).map(({ start, label, ts }) => {
      const { totalRuns, errors, latencyP50, latencyP95 } = byStart.get(start) ?? nothing;
      return { label, ts, totalRuns, errors, errorRate: shareOf(errors, totalRuns), latencyP50, latencyP95 };
    });
    const body: z.input<typeof performance> = { window, points };
    return { status: 200, body };
  };
}

/** GET /agent-monitoring/top-failing (completions 9.5). */
function readTopFailing({
  traffic,
  ingest,
  clock,
}: {
  traffic: Pick<TrafficReader, "listFailingAgents" | "listFrequentFindings">;
  ingest: Pick<IngestClient, "findAgents">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const span = { since: new Date(now - lengthOf(window)), until: new Date(now) };
    const agent = readAgentFilter(call.query);
    const [agents, findings] = agent.isUnknown
      ? [[], []]
      : await Promise.all([
          traffic.listFailingAgents(projectId, span, agent.id),
          traffic.listFrequentFindings(projectId, span, agent.id),
        ]);
    const ids = agents.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
    const found = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
    const names = new Map(found.map(({ id, name }) => [id, name]));
    const body: z.input<typeof topFailing> = {
      window,
      agents: agents.map((agent) => ({
        ...agent,
        name: names.get(agent.agentId ?? "") ?? null,
        failureRate: shareOf(agent.failingRuns, agent.totalRuns),
      })),
      patterns: findings.map((finding) => ({ ...finding, lastSeenAt: finding.lastSeenAt.toISOString() })),
    };
    return { status: 200, body };
  };
}

/** GET /agent-monitoring/agent-figures. Ingest provides the costs of agents. */
function readAgentFigures({
  traffic,
  ingest,
  clock,
}: {
  traffic: Pick<TrafficReader, "listAgents">;
  ingest: Pick<IngestClient, "findAgents" | "readAgentCosts">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { since } = stretchesOf(window, now);
    const [agents, costs] = await Promise.all([
      traffic.listAgents(projectId, { since, until: new Date(now) }),
      ingest.readAgentCosts({ projectId, organizationId, window }),
    ]);
    const ids = agents.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
    const found = ids.length === 0 ? [] : await ingest.findAgents(projectId, ids);
    const names = new Map(found.map(({ id, name }) => [id, name]));
    const body: z.input<typeof agentFigures> = {
      window,
      since: since.toISOString(),
      agents: agents.map((agent) => ({
        ...agent,
        name: names.get(agent.agentId ?? "") ?? null,
        failureRate: shareOf(agent.failingRuns, agent.totalRuns),
        costUSD: costs.get(agent.agentId) ?? null,
      })),
    };
    return { status: 200, body };
  };
}

/** GET /agent-monitoring/model-comparison (completions 9.5). Ingest provides the costs of models. */
function readModelComparison({
  models,
  ingest,
  clock,
}: {
  models: ModelReader;
  ingest: Pick<IngestClient, "readModelCosts">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const { since } = stretchesOf(window, now);
    const [compared, costs] = await Promise.all([
      models.compare(projectId, { since, until: new Date(now) }),
      ingest.readModelCosts({ projectId, organizationId, window }),
    ]);
    const body: z.input<typeof modelComparison> = {
      window,
      since: since.toISOString(),
      models: compared.map(({ model, traces, errors, ...rest }) => {
        const costUSD = model === null ? null : (costs.get(model) ?? null);
        return { model, traces, errors, errorRate: shareOf(errors, traces), ...rest, costUSD };
      }),
    };
    return { status: 200, body };
  };
}

/** GET /agent-monitoring/calibration (completions 9.5): for every live scorer. */
function readCalibration(dependencies: { agreement: AgreementReader; clock: Clock }): Handler {
  return async (call) => ({ status: 200, body: await readAgreement(dependencies, requireProject(call), null) });
}

/** The agent filter of a dashboard; a null `id` means all. A malformed id matches no agent: all counts are 0. */
function readAgentFilter(query: Call["query"]): { id: string | null; isUnknown: boolean } {
  const agentId = readParameter(query, "agentId");
  return { id: agentId, isUnknown: agentId !== null && !isUuid(agentId) };
}
