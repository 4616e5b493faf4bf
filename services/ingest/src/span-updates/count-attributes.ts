import { limits } from "@touchstone/contracts";

/** What an update states: its attributes, and these with all members and items of their values. */
export interface AttributeCounts {
  attributes: number;
  values: number;
}

/** The refusal of an update with too many attributes. */
export const tooManyAttributes = `The update has more than ${limits.spanUpdateAttributesMax} attributes.`;

/** Counts what an update states; a text if it is more than an update may have. Does not recurse. */
export function countAttributes(attributes: Readonly<Record<string, unknown>>): AttributeCounts | string {
  const { spanUpdateAttributesMax: attributesMax, spanUpdateValuesMax: valuesMax } = limits;
  const own = Object.values(attributes);
  if (own.length > attributesMax) return tooManyAttributes;
  const waiting: unknown[][] = [own];
  let values = 0;
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    values += list.length;
    if (values > valuesMax) return `The update has more than ${valuesMax} values.`;
    for (const value of list) {
      if (Array.isArray(value)) waiting.push(value);
      else if (typeof value === "object" && value !== null) waiting.push(Object.values(value));
    }
  }
  return { attributes: own.length, values };
}
