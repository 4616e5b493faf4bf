import type { Clock, Handler } from "@touchstone/service-kit";
import type { PriceStore } from "../../pricing/price-store.ts";
import { composeMetrics } from "../../usage-metrics/compose-metrics.ts";
import { type FigureStore, noFigures } from "../../usage-metrics/figure-store.ts";
import { readDashboardQuery } from "./read-query.ts";

/** `GET /agent-monitoring/metrics` (completions 9.5). */
export function readMetrics(dependencies: { figures: FigureStore; prices: PriceStore; clock: Clock }): Handler {
  return async (call) => {
    const { window, now, spans, findPrice } = await readDashboardQuery(call, dependencies);
    const figures = spans === null ? noFigures : await dependencies.figures.read(spans);
    return { status: 200, body: composeMetrics(window, now, figures, findPrice) };
  };
}
