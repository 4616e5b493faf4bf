import type { Clock, Handler } from "@touchstone/service-kit";
import { composeMetrics } from "../../figures/compose-metrics.ts";
import { type FigureStore, noFigures } from "../../figures/figure-store.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { readDashboardQuery } from "./read-query.ts";

/** `GET /agent-monitoring/metrics` (completions 9.5). */
export function readMetrics(dependencies: { figures: FigureStore; prices: PriceStore; clock: Clock }): Handler {
  return async (call) => {
    const { window, now, spans, findPrice } = await readDashboardQuery(call, dependencies);
    const figures = spans === null ? noFigures : await dependencies.figures.read(spans);
    return { status: 200, body: composeMetrics(window, now, figures, findPrice) };
  };
}
