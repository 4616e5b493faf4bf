import type { Bus, Consuming } from "@touchstone/bus";
import { modelPricesHandedOver } from "@touchstone/contracts";
import type { ModelStore } from "./model-store.ts";

/** Consumes the prices that ingest stored for projects before auth owned the catalogue (decision 29). */
export function consumeModelPricesHandedOver(
  bus: Bus,
  { models }: { models: Pick<ModelStore, "adopt"> },
): Promise<Consuming> {
  return bus.consume(
    modelPricesHandedOver,
    { durable: "auth-model-prices-handed-over" },
    async ({ projectId, changes }) => models.adopt(projectId, changes),
  );
}
