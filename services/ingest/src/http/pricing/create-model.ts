import { limits } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import { catalogueOf } from "../../pricing/price-catalogue.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { requireProject } from "../require-project.ts";
import { readNewModel } from "./read-submitted-model.ts";
import { showModel } from "./show-model.ts";

/** `POST /agent-monitoring/portability/models`: adds a model to the project's catalogue (completions 11.1). */
export function createModel({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call.identity);
    const price = readNewModel(await call.json());
    const changes = await prices.listChanges(projectId);
    if (changes.length >= limits.modelPricesMax) {
      throw new AppError("bad_request", `a project may have prices for ${limits.modelPricesMax} models of its own`);
    }
    const isKnown = catalogueOf(changes).has(price.model);
    // Written only over nothing: of two at once one is refused.
    if (isKnown || !(await prices.write(projectId, { ...price, isRemoved: false }, { isNew: true }))) {
      throw new AppError("conflict", `A model with id "${price.model}" already exists`);
    }
    return { status: 201, body: { model: showModel(price) } };
  };
}
