import fc from "fast-check";
import { expect, test } from "vitest";
import { flag, list, number, oneOf, parseSearch, searchOf, stringifySearch, text } from "../src/ui/search-params.ts";

const read = searchOf({ search: text, max: number, errors: flag, tab: oneOf(["chat", "raw"]), fold: list });

test("a view that is printed into the URL is read back as the same view", () => {
  const word = fc.string({ minLength: 1, unit: "grapheme" }).filter((one) => !one.includes(","));
  const view = fc.record(
    {
      search: fc.string({ minLength: 1, unit: "grapheme" }),
      max: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
      errors: fc.constant(true as const),
      tab: fc.constantFrom("chat" as const, "raw" as const),
      fold: fc.array(word, { minLength: 1 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(view, (shown) => {
      expect(read(parseSearch(stringifySearch(shown)))).toEqual(shown);
    }),
  );
});

test("a search that looks like a number stays the text that was typed", () => {
  expect(read(parseSearch("?search=123"))).toEqual({ search: "123" });
});

test("what cannot be read is left out, and the rest of the link still works", () => {
  const raw = parseSearch("?max=many&tab=nowhere&errors=perhaps&fold=&search=refund&unknown=1");
  expect(read(raw)).toEqual({ search: "refund" });
  // As the router merges them.
  expect({ ...raw, ...read(raw) }).toEqual({ search: "refund", unknown: "1" });
});

test("what is absent, empty or false leaves no trace in the URL", () => {
  expect(stringifySearch({ search: "", max: undefined, errors: false, fold: [] })).toBe("");
});
