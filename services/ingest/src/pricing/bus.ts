import type { Answering, Bus, Consuming } from "@touchstone/bus";
import { keepModelPrices, modelPricesChanged } from "@touchstone/contracts";
import type { PriceListKeeper } from "./price-store.ts";

/** Consumes the prices of an owner as a whole (decision 29). */
export function consumeModelPricesChanged(
  bus: Bus,
  { priceLists }: { priceLists: PriceListKeeper },
): Promise<Consuming> {
  return bus.consume(modelPricesChanged, { durable: "ingest-model-prices-changed" }, (list) => priceLists.keep(list));
}

/** Changes of one replica in hand at a time. */
const concurrency = 8;

/** Answers `svc.ingest.keep-model-prices.v1`: with the reply, costs are estimated by what was told (decision 42). */
export function answerKeepModelPrices(bus: Bus, { priceLists }: { priceLists: PriceListKeeper }): Promise<Answering> {
  return bus.answer(
    keepModelPrices,
    async (list) => {
      await priceLists.keep(list);
      return {};
    },
    { concurrency },
  );
}
