/** What canonical JSON can say. A member that is undefined is absent. */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue | undefined };

/**
 * JSON in which the same value is always the same text: members ordered by their names' UTF-16 units, no white space,
 * numbers as JavaScript writes them, half surrogate pairs escaped.
 */
export function writeCanonically(value: CanonicalValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeCanonically).join(",")}]`;
  const members = Object.entries(value as Record<string, CanonicalValue | undefined>)
    .filter((member): member is [string, CanonicalValue] => member[1] !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonically(member)}`).join(",")}}`;
}
