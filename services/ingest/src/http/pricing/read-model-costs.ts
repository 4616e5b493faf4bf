import { type modelCosts, modelCostsQuery, priceFinder, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { PriceStore } from "../../pricing/price-store.ts";
import { priceUses } from "../../usage-metrics/compose-costs.ts";
import type { FigureStore } from "../../usage-metrics/figure-store.ts";

/** The question of monitor for what each model cost, in the same stretches as the dashboards of costs (completions 9.5). */
export function readModelCosts(dependencies: {
  figures: Pick<FigureStore, "readTokens">;
  prices: PriceStore;
  clock: Clock;
}): Handler {
  const { figures, prices, clock } = dependencies;
  return async (call) => {
    const { projectId, organizationId, window } = modelCostsQuery.parse(await call.json());
    const [uses, changes] = await Promise.all([
      figures.readTokens({ projectId, agentId: null, ...stretchesOf(window, clock.now()) }),
      prices.listChanges({ projectId, organizationId }),
    ]);
    const costs = new Map<string, number>();
    for (const { model, cost } of priceUses(uses, priceFinder(changes))) {
      if (model !== null && cost !== null) costs.set(model, (costs.get(model) ?? 0) + cost.whole);
    }
    // What a parent repeats of its children is taken back; what is left is never less than nothing.
    const reply: z.input<typeof modelCosts> = {
      costs: [...costs].map(([model, cost]) => ({ model, cost: Math.max(cost, 0) })),
    };
    return { status: 200, body: reply };
  };
}
