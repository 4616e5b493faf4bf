import { limits } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { catalogueOf, priceOf } from "../../pricing/price-catalogue.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { requireProject } from "../require-project.ts";

/** `GET /agent-monitoring/portability/models/unpriced`: models seen with tokens and without a price (completions 11.1). */
export function listUnpricedModels({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const used = await prices.listUsedModels(projectId, limits.modelPricesMax);
    const catalogue = catalogueOf(await prices.listChanges(projectId));
    return { status: 200, body: { models: used.filter((model) => priceOf(catalogue, model) === null) } };
  };
}
