import { type agentCosts, agentCostsQuery, priceFinder, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { PriceStore } from "../../pricing/price-store.ts";
import type { AgentTokenReader } from "../../usage-metrics/agent-token-reader.ts";
import { priceUses } from "../../usage-metrics/compose-costs.ts";

/** The question of monitor for what each agent cost, in the same stretches as the dashboards of costs. */
export function readAgentCosts({
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
    // What a parent repeats of its children is taken back; what is left is never less than nothing.
    const reply: z.input<typeof agentCosts> = {
      costs: [...costs].map(([agentId, cost]) => ({ agentId, cost: Math.max(cost, 0) })),
    };
    return { status: 200, body: reply };
  };
}
