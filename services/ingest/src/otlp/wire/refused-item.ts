import { limits } from "@touchstone/contracts/limits";
import type { AttributeMap, ReadNote } from "./received-span.ts";

/** One item of an export is rejected; the others are not affected. The message goes to the sender. */
export class RefusedItemError extends Error {
  override readonly name = "RefusedItemError";
}

/** Counts an attribute, list item, member, event or link of one item of an export. */
export function countValue(note: ReadNote): void {
  note.valuesLeft -= 1;
  if (note.valuesLeft < 0) throw new RefusedItemError(`more than ${limits.otlpValuesMax} values`);
}

/** Rejects an item with too many attributes in one place. */
export function requireRoom(attributes: AttributeMap): void {
  if (attributes.size > limits.otlpAttributesMax) {
    throw new RefusedItemError(`more than ${limits.otlpAttributesMax} attributes`);
  }
}
