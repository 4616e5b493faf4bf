import type { Answering, Bus, Consuming } from "@touchstone/bus";
import { keepModelPrices, modelPricesChanged } from "@touchstone/contracts";
import type { PriceListKeeper } from "./price-store.ts";

/** Consumes the complete price list of an owner (decision 29). */
export function consumeModelPricesChanged(
  bus: Bus,
  { priceLists }: { priceLists: PriceListKeeper },
): Promise<Consuming> {
  return bus.consume(modelPricesChanged, { durable: "ingest-model-prices-changed" }, (list) => priceLists.keep(list));
}

/** Concurrent changes in one replica. */
const concurrency = 8;

/** Answers `svc.ingest.keep-model-prices.v1`: after the reply, costs use these prices (decision 42). */
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
