import type { Handler } from "@touchstone/service-kit";
import { catalogueOf } from "../../pricing/price-catalogue.ts";
import type { PriceStore } from "../../pricing/price-store.ts";
import { requireProject } from "../require-project.ts";
import { showModel } from "./show-model.ts";

/** `GET /agent-monitoring/portability/models`: the default first, then by id (completions 11.1). */
export function listModels({ prices }: { prices: PriceStore }): Handler {
  return async (call) => {
    const catalogue = catalogueOf(await prices.listChanges(requireProject(call.identity)));
    return { status: 200, body: { models: [...catalogue.values()].map(showModel) } };
  };
}
