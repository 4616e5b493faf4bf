import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexedKeys, readFamily } from "../../src/otlp/mapping/indexed-family.ts";
import type { AttributeMap, AttributeValue } from "../../src/otlp/wire/received-span.ts";

function familyOf(attributes: AttributeMap, prefix: string): unknown[] | undefined {
  return readFamily(attributes, indexedKeys(attributes), prefix)?.items;
}

describe("an indexed family", () => {
  test("is rebuilt in the order of its indices, not of its keys, and gaps close", () => {
    const attributes: AttributeMap = new Map([
      ["p.10.role", "last"],
      ["p.2.role", "second"],
      ["p.0.role", "first"],
      ["p.0.tool_calls.1.name", "b"],
      ["p.0.tool_calls.0.name", "a"],
      ["other.0.role", "no"],
      ["p.role", "no"],
      ["px.0.role", "no"],
    ]);
    expect(familyOf(attributes, "p")).toEqual([
      { role: "first", tool_calls: [{ name: "a" }, { name: "b" }] },
      { role: "second" },
      { role: "last" },
    ]);
  });

  test("takes no index beyond 10,000 and no path of more than 16 names", () => {
    const attributes: AttributeMap = new Map([
      ["p.10000.a", 1],
      ["p.10001.a", 2],
      ["p.99999999999.a", 3],
      ["p.0.a.10001.b", 4],
      [`p.1${".x".repeat(16)}`, 5],
    ]);
    expect(familyOf(attributes, "p")).toEqual([{ a: 1 }]);
  });

  test("treats names of the prototype as names", () => {
    const items = familyOf(new Map([["p.0.__proto__.polluted", true]]), "p");
    expect(JSON.stringify(items)).toBe('[{"__proto__":{"polluted":true}}]');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("prefers a nested value to a bare one of the same name", () => {
    const entries: [string, AttributeValue][] = [
      ["p.0", "bare"],
      ["p.0.a", 1],
    ];
    expect(familyOf(new Map(entries), "p")).toEqual([{ a: 1 }]);
    expect(familyOf(new Map(entries.toReversed()), "p")).toEqual([{ a: 1 }]);
  });

  test("is the same whatever the order of the attributes", () => {
    const items = fc.array(fc.dictionary(fc.constantFrom("a", "b", "c.d"), fc.nat(), { minKeys: 1 }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(items, fc.infiniteStream(fc.nat()), (given, order) => {
        const entries = given.flatMap((item, index) =>
          Object.entries(item).map(([key, value]) => [`p.${index}.${key}`, value] as const),
        );
        const shuffled = entries.map((entry) => ({ entry, at: order.next().value })).sort((a, b) => a.at - b.at);
        const expected = familyOf(new Map(entries), "p");
        expect(familyOf(new Map(shuffled.map(({ entry }) => entry)), "p")).toEqual(expected);
        expect(expected?.length ?? 0).toBe(given.length);
      }),
    );
  });

  test("is nothing when there is none", () => {
    expect(
      familyOf(
        new Map([
          ["a", 1],
          ["a.b", 2],
        ]),
        "p",
      ),
    ).toBeUndefined();
  });
});
