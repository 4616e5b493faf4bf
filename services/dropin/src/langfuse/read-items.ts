import { limits } from "@touchstone/contracts";
import { hasMoreNames, type Sliced, walkElements } from "@touchstone/service-kit";
import { EventError } from "./span-updates.ts";

/** An item of a list, as it was sent. */
export interface SentItem {
  text: string;
  /** Undefined: it has more members than `limits.batchNamesMax`, and is not parsed. */
  value: unknown;
}

/** Parses the items of a list that was validated, with pauses. */
export function* readItems(listText: string): Sliced<SentItem[]> {
  // In most lists there is no item to count.
  const mayHaveMany = yield* hasMoreNames(listText, limits.batchNamesMax);
  const items: SentItem[] = [];
  for (const slice of walkElements(listText, { isStored: true })) {
    yield;
    if (slice === undefined) continue;
    const { text } = slice;
    const hasMany = mayHaveMany && (yield* hasMoreNames(text, limits.batchNamesMax));
    items.push({ text, value: hasMany ? undefined : JSON.parse(text) });
  }
  return items;
}

/** Throws an EventError if the item was not parsed. */
export function requireParsed(item: SentItem | undefined, what: "event" | "score"): asserts item is SentItem {
  if (item?.value === undefined) throw new EventError(`The ${what} has more than ${limits.batchNamesMax} members`);
}
