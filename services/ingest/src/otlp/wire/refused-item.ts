import { limits } from "@touchstone/contracts/limits";
import type { AttributeMap, ReadNote } from "./received-span.ts";

/** One item of an export is not taken, and the others do not suffer. The message goes to the sender. */
export class RefusedItemError extends Error {
  override readonly name = "RefusedItemError";
}

/** Counts an attribute, item of a list, member, event or link of one item of an export. */
export function countValue(note: ReadNote): void {
  note.valuesLeft -= 1;
  if (note.valuesLeft < 0) throw new RefusedItemError(`more than ${limits.otlpValuesMax} values`);
}

/** Refuses an item that holds too many attributes in one place. */
export function requireRoom(attributes: AttributeMap): void {
  if (attributes.size > limits.otlpAttributesMax) {
    throw new RefusedItemError(`more than ${limits.otlpAttributesMax} attributes`);
  }
}
