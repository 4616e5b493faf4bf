/** What makes an element of an array literal need its escapes. */
const special = /["\\]/;
const specials = /["\\]/g;

/**
 * PostgreSQL's literal of an array of texts; null where every element is null: `unnest` of several arrays fills the short
 * ones up. (The driver's own escapes each element in two passes, UUIDs and numbers too: half of what sending a batch took.)
 */
export function textArray(values: readonly (string | null)[]): string | null {
  return literalOf(values, (value) => (special.test(value) ? `"${value.replace(specials, "\\$&")}"` : `"${value}"`));
}

/** The same for values whose text holds nothing that has a meaning in an array: numbers, booleans, UUIDs. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string | null {
  return literalOf(values, String);
}

function literalOf<Value>(values: readonly (Value | null)[], spell: (value: Value) => string): string | null {
  let literal = "";
  let isSaid = false;
  for (const value of values) {
    if (value === null) literal += ",NULL";
    else {
      isSaid = true;
      literal += `,${spell(value)}`;
    }
  }
  return isSaid ? `{${literal.slice(1)}}` : null;
}
