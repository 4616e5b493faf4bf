import type { Answering, Bus } from "@touchstone/bus";
import { keepModelPrices } from "@touchstone/contracts";
import type { PriceListKeeper } from "../pricing/price-store.ts";

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
