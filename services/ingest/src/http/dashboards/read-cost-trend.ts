import type { Clock, Handler } from "@touchstone/service-kit";
import type { PriceStore } from "../../pricing/price-store.ts";
import { composeCostTrend, priceUses } from "../../usage-metrics/compose-costs.ts";
import type { FigureStore } from "../../usage-metrics/figure-store.ts";
import { readDashboardQuery } from "./read-query.ts";

/** `GET /agent-monitoring/cost-trend` (completions 9.5). */
export function readCostTrend(dependencies: { figures: FigureStore; prices: PriceStore; clock: Clock }): Handler {
  return async (call) => {
    const { window, now, spans, findPrice } = await readDashboardQuery(call, dependencies);
    const tokens = spans === null ? [] : await dependencies.figures.readTokens(spans);
    return { status: 200, body: composeCostTrend(window, now, priceUses(tokens, findPrice)) };
  };
}
