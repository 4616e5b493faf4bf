import type { Bus, Consuming } from "@touchstone/bus";
import { modelPricesChanged } from "@touchstone/contracts";
import type { PriceListKeeper } from "../pricing/price-store.ts";

/** Consumes the prices of an owner as a whole (decision 29). */
export function consumeModelPricesChanged(
  bus: Bus,
  { priceLists }: { priceLists: PriceListKeeper },
): Promise<Consuming> {
  return bus.consume(modelPricesChanged, { durable: "ingest-model-prices-changed" }, (list) => priceLists.keep(list));
}
