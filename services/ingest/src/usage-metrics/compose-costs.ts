import {
  type costTrend,
  type DashboardWindow,
  type FindPrice,
  listStretches,
  type ModelPrice,
} from "@touchstone/contracts";
import type { z } from "zod";
import type { TokenUse } from "./metrics-store.ts";

type CostTrend = z.input<typeof costTrend>;
type Costs = CostTrend["totals"];

/** USD. */
interface UseCost {
  /** Input not read from a cache, including cache writes. */
  prompt: number;
  cached: number;
  completion: number;
  whole: number;
}

type Priced<Use> = Use & {
  /** Null: the model has no price, or a count is unknown (completions 11.2). */
  cost: UseCost | null;
};

export type PricedUse = Priced<TokenUse>;

type PriceableUse = Omit<TokenUse, "start">;

export function priceUses<Use extends PriceableUse>(uses: readonly Use[], findPrice: FindPrice): Priced<Use>[] {
  return uses.map((use) => {
    const price = use.model === null || !use.isPriceable ? null : findPrice(use.model);
    return { ...use, cost: price === null ? null : costOfUse(use, price) };
  });
}

function costOfUse({ fresh, cacheRead, cacheWrite, output }: PriceableUse, price: ModelPrice): UseCost {
  const prompt = (fresh * price.input + cacheWrite * (price.cacheWrite ?? price.input)) / 1_000_000;
  const cached = (cacheRead * (price.cacheRead ?? price.input)) / 1_000_000;
  const completion = (output * price.output) / 1_000_000;
  return { prompt, cached, completion, whole: prompt + cached + completion };
}

/** The cost of a window's traffic, by bucket and in total (completions 9.5). */
export function composeCostTrend(window: DashboardWindow, now: number, uses: readonly PricedUse[]): CostTrend {
  const models = greatestNames(uses.map(({ model, cost }) => ({ name: model, amount: cost?.whole ?? 0 })));
  return {
    window,
    points: listStretches(window, now).map(({ start, label, ts }) => ({
      label,
      ts,
      ...composeCosts(
        uses.filter((use) => use.start.getTime() === start),
        models,
      ),
    })),
    totals: composeCosts(uses, models),
  };
}

/** The cost of the priceable usage, by model, and the share of tokens without a price. */
export function composeCosts(uses: readonly PricedUse[], models: ReadonlySet<string>): Costs {
  const byModel = new Map<string, number>();
  let [tokens, unpriced, cost] = [0, 0, 0];
  for (const use of uses) {
    const used = use.input + use.output;
    tokens += used;
    if (use.cost === null) unpriced += used;
    else {
      cost += use.cost.whole;
      const { model } = use;
      addNamed(byModel, model !== null && models.has(model) ? model : others, use.cost.whole);
    }
  }
  const costs = [...byModel].sort(([, one], [, other]) => other - one);
  return {
    cost: Math.max(cost, 0),
    byModel: Object.fromEntries(costs.map(([model, amount]) => [model, Math.max(amount, 0)])),
    unpricedTokenShare: tokens > 0 ? Math.min(Math.max(unpriced / tokens, 0), 1) : null,
  };
}

/** Distinct names in one response. */
const namesMax = 50;

/** Replaces all further names. */
export const others = "(other)";

/** The names with the highest sums. */
export function greatestNames(amounts: readonly { name: string | null; amount: number }[]): ReadonlySet<string> {
  const sums = new Map<string, number>();
  for (const { name, amount } of amounts) if (name !== null) addNamed(sums, name, amount);
  const names = [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return new Set(names.slice(0, namesMax));
}

export function addNamed(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
