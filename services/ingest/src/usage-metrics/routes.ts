import {
  type agentCosts,
  agentCostsQuery,
  type DashboardWindow,
  type FindPrice,
  internalRoutes,
  isUuid,
  type modelCosts,
  modelCostsQuery,
  priceFinder,
  readDashboardWindow,
  routes,
  stretchesOf,
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
import type { PriceStore } from "../pricing/price-store.ts";
import type { AgentTokenReader } from "./agent-token-reader.ts";
import { composeCostTrend, priceUses } from "./compose-costs.ts";
import { composeMetrics } from "./compose-metrics.ts";
import { type MetricsQuery, type MetricsStore, noUsageMetrics } from "./metrics-store.ts";
import type { PromptUseReader } from "./prompt-use-reader.ts";
import { readPromptVersions } from "./read-prompt-versions.ts";

/** Dashboards of traffic and costs, and the costs for monitor. */
export function usageMetricsRoutes(dependencies: {
  metricsStore: MetricsStore;
  agentTokens: AgentTokenReader;
  promptUses: PromptUseReader;
  prices: PriceStore;
  clock: Clock;
  reads(handle: Handler): Handler;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { reads, onceReady } = dependencies;
  return [
    { route: routes.readMetrics, handle: reads(readMetrics(dependencies)) },
    { route: routes.readCostTrend, handle: reads(readCostTrend(dependencies)) },
    { route: routes.readPromptVersions, handle: reads(readPromptVersions(dependencies)) },
    { route: internalRoutes.readAgentCosts, handle: onceReady(readAgentCosts(dependencies)) },
    { route: internalRoutes.readModelCosts, handle: onceReady(readModelCosts(dependencies)) },
  ];
}

/** `GET /agent-monitoring/metrics` (completions 9.5). */
function readMetrics(dependencies: { metricsStore: MetricsStore; prices: PriceStore; clock: Clock }): Handler {
  return async (call) => {
    const { window, now, spans, findPrice } = await readDashboardQuery(call, dependencies);
    const metrics = spans === null ? noUsageMetrics : await dependencies.metricsStore.read(spans);
    return { status: 200, body: composeMetrics(window, now, metrics, findPrice) };
  };
}

/** `GET /agent-monitoring/cost-trend` (completions 9.5). */
function readCostTrend(dependencies: { metricsStore: MetricsStore; prices: PriceStore; clock: Clock }): Handler {
  return async (call) => {
    const { window, now, spans, findPrice } = await readDashboardQuery(call, dependencies);
    const tokens = spans === null ? [] : await dependencies.metricsStore.readTokens(spans);
    return { status: 200, body: composeCostTrend(window, now, priceUses(tokens, findPrice)) };
  };
}

/** Answers monitor's request for the cost of each agent, in the same buckets as the cost dashboards. */
function readAgentCosts({
  agentTokens,
  prices,
  clock,
}: {
  agentTokens: AgentTokenReader;
  prices: PriceStore;
  clock: Clock;
}): Handler {
  return async (call) => {
    const { projectId, organizationId, window } = agentCostsQuery.parse(await call.json());
    const [uses, changes] = await Promise.all([
      agentTokens.read({ projectId, ...stretchesOf(window, clock.now()) }),
      prices.listChanges({ projectId, organizationId }),
    ]);
    const costs = new Map<string | null, number>();
    for (const { agentId, cost } of priceUses(uses, priceFinder(changes))) {
      if (cost !== null) costs.set(agentId, (costs.get(agentId) ?? 0) + cost.whole);
    }
    // Repeated usage is subtracted; the result is never negative.
    const reply: z.input<typeof agentCosts> = {
      costs: [...costs].map(([agentId, cost]) => ({ agentId, cost: Math.max(cost, 0) })),
    };
    return { status: 200, body: reply };
  };
}

/**
 * Answers monitor's request for the cost of each model, in the same buckets as the cost dashboards (completions 9.5).
 */
function readModelCosts(dependencies: {
  metricsStore: Pick<MetricsStore, "readTokens">;
  prices: PriceStore;
  clock: Clock;
}): Handler {
  const { metricsStore, prices, clock } = dependencies;
  return async (call) => {
    const { projectId, organizationId, window } = modelCostsQuery.parse(await call.json());
    const [uses, changes] = await Promise.all([
      metricsStore.readTokens({ projectId, agentId: null, ...stretchesOf(window, clock.now()) }),
      prices.listChanges({ projectId, organizationId }),
    ]);
    const costs = new Map<string, number>();
    for (const { model, cost } of priceUses(uses, priceFinder(changes))) {
      if (model !== null && cost !== null) costs.set(model, (costs.get(model) ?? 0) + cost.whole);
    }
    // Repeated usage is subtracted; the result is never negative.
    const reply: z.input<typeof modelCosts> = {
      costs: [...costs].map(([model, cost]) => ({ model, cost: Math.max(cost, 0) })),
    };
    return { status: 200, body: reply };
  };
}

/** The query of a dashboard, and the prices of its project. */
interface DashboardQuery {
  window: DashboardWindow;
  now: number;
  /** Null: the agent does not exist, so there is nothing to aggregate. */
  spans: MetricsQuery | null;
  findPrice: FindPrice;
}

async function readDashboardQuery(
  call: Call,
  { prices, clock }: { prices: PriceStore; clock: Clock },
): Promise<DashboardQuery> {
  const projectId = requireProject(call);
  const { organizationId } = call.identity;
  const window = readDashboardWindow([call.query.window].flat()[0]);
  const now = clock.now();
  const agentId = readParameter(call.query, "agentId");
  return {
    window,
    now,
    spans: agentId === null || isUuid(agentId) ? { projectId, agentId, ...stretchesOf(window, now) } : null,
    findPrice: priceFinder(await prices.listChanges({ projectId, organizationId })),
  };
}
