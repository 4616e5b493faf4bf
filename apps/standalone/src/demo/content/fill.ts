import { createRandom, type Random } from "../random.ts";

const items = ["Fjell jacket", "Ridge 2 tent", "Kolle boots", "Skar backpack", "Lom sleeping bag", "Vidde trousers"];

/** The words that distinguish one occurrence of a scenario from the next. */
export interface Details {
  order: string;
  item: string;
  amount: string;
}

export function drawDetails(random: Random): Details {
  return {
    order: `A${random.int(100_000, 999_999)}`,
    item: random.pick(items),
    amount: `${random.int(19, 420)}.${random.pick(["00", "50", "90", "95"])} USD`,
  };
}

/** The same details for each case of a dataset. */
export const detailsOfCase = (index: number): Details => drawDetails(createRandom(`case ${index}`));

/** Inserts the details into a text. */
export function fill(text: string, details: Details): string {
  return text.replace(/\{(order|item|amount)\}/g, (_, name: keyof Details) => details[name]);
}
