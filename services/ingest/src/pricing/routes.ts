import { limits, priceFinder, routes } from "@touchstone/contracts";
import { type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { PriceStore } from "./price-store.ts";

/** Models without a price. */
export function pricingRoutes(dependencies: { prices: PriceStore; reads(handle: Handler): Handler }): ServedRoute[] {
  const { reads } = dependencies;
  return [{ route: routes.listUnpricedModels, handle: reads(listUnpricedModels(dependencies)) }];
}

/** `GET /agent-monitoring/portability/models/unpriced`: models with tokens but without a price (completions 11.1). */
function listUnpricedModels({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const used = await prices.listUsedModels(projectId, limits.modelPricesMax);
    const { organizationId } = call.identity;
    const findPrice = priceFinder(await prices.listChanges({ projectId, organizationId }));
    return { status: 200, body: { models: used.filter((model) => findPrice(model) === null) } };
  };
}
