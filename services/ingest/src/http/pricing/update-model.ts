import { AppError, type Handler } from "@touchstone/service-kit";
import { catalogueOf } from "../../pricing/price-catalogue.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { requireProject } from "../require-project.ts";
import { readChangedModel } from "./read-submitted-model.ts";
import { showModel } from "./show-model.ts";

/** `PUT /agent-monitoring/portability/models/{modelId}`: changes a price, a built-in one too (completions 11.1). */
export function updateModel({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const body = await call.json();
    const before = catalogueOf(await prices.listChanges(projectId)).get(call.params.modelId ?? "");
    if (before === undefined) throw new AppError("not_found", "Model not found");
    const price = readChangedModel(body, before);
    await prices.write(projectId, { ...price, isRemoved: false }, { isNew: false });
    return { status: 200, body: { model: showModel(price) } };
  };
}
