import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elementsOf, membersOf, memberText, objectText } from "../src/json-text.ts";

const anyJson = fc.json({ stringUnit: "binary" });
const spacing = fc.constantFrom("", " ", "\n", "\t", " \r\n ");

describe("cutting JSON text", () => {
  test("an array's elements come back as the texts they were put together from", () => {
    fc.assert(
      fc.property(fc.array(anyJson), spacing, (elements, space) => {
        const text = `${space}[${elements.map((element) => space + element.trim() + space).join(",")}]${space}`;
        expect(elementsOf(text)).toEqual(elements.map((element) => element.trim()));
      }),
    );
  });

  test("an object's members come back in order with the texts they were put together from", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: "binary" }), anyJson)), spacing, (members, space) => {
        const text = `${space}{${members
          .map(([name, value]) => `${space}${JSON.stringify(name)}${space}:${space}${value}${space}`)
          .join(",")}}`;
        expect(membersOf(text)).toEqual(members.map(([name, value]) => ({ name, valueText: value.trim() })));
      }),
    );
  });

  test("taking an object apart and putting it together changes no value", () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        expect(JSON.parse(objectText(membersOf(JSON.stringify(value))))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("number literals and escapes are left as they were written", () => {
    expect(membersOf('{ "a" : 1e400 , "b":12345678901234567890,"\\u0061c":"\\u0000\\ud800 \\" } ,"}')).toEqual([
      { name: "a", valueText: "1e400" },
      { name: "b", valueText: "12345678901234567890" },
      { name: "ac", valueText: '"\\u0000\\ud800 \\" } ,"' },
    ]);
  });

  test("of a repeated name the last one counts, as when parsing", () => {
    expect(memberText('{"a":1,"b":2,"a":3}', "a")).toBe("3");
    expect(memberText('{"a":1}', "constructor")).toBeUndefined();
  });
});
