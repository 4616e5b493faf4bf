import { AppError, type Handler } from "@touchstone/service-kit";
import { builtInPrices } from "../../pricing/built-in-prices.ts";
import { catalogueOf } from "../../pricing/price-catalogue.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { requireProject } from "../require-project.ts";

/** `DELETE /agent-monitoring/portability/models/{modelId}`: a built-in model does not return (completions 11.1). */
export function deleteModel({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const price = catalogueOf(await prices.listChanges(projectId)).get(call.params.modelId ?? "");
    if (price === undefined) throw new AppError("not_found", "Model not found");
    const isBuiltIn = builtInPrices.some(({ model }) => model === price.model);
    if (isBuiltIn) await prices.write(projectId, { ...price, isRemoved: true }, { isNew: false });
    else await prices.remove(projectId, price.model);
    return { status: 200, body: { success: true } };
  };
}
