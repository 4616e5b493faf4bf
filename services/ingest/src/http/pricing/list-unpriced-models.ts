import { limits, priceFinder } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { PriceStore } from "../../pricing/price-store.ts";

/** `GET /agent-monitoring/portability/models/unpriced`: models seen with tokens and without a price (completions 11.1). */
export function listUnpricedModels({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const used = await prices.listUsedModels(projectId, limits.modelPricesMax);
    const { organizationId } = call.identity;
    const findPrice = priceFinder(await prices.listChanges({ projectId, organizationId }));
    return { status: 200, body: { models: used.filter((model) => findPrice(model) === null) } };
  };
}
