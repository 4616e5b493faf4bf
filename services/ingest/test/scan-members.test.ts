import { JsonSyntaxError, scanElements, scanMembers, scanMembersInSlices } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./json-arbitrary.ts";

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof JsonSyntaxError) return false;
    throw thrown;
  }
}

test("each member comes back as the text that was sent", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "binary" }), jsonText()), { maxLength: 6 }), (entries) => {
      const body = `{ ${entries.map(([key, text]) => `${JSON.stringify(key)} :\t${text}\n`).join(" , ")} }`;
      const { members } = scanMembers(body);
      const expected = new Map(entries);
      expect([...(members ?? [])].map(([key, slice]) => [key, slice.text])).toEqual(
        [...expected].map(([key, text]) => [key, text]),
      );
    }),
    { numRuns: 1_000 },
  );
});

test("accepts exactly the texts that JSON.parse accepts", () => {
  const nearlyJson = jsonText().chain((text) =>
    fc
      .tuple(
        fc.nat(text.length),
        fc.nat(3),
        fc.constantFrom("", ",", '"', "}", "]", "0", "-", "\\", "\u0001", "e", ".", "nul", " "),
      )
      .map(([at, removed, inserted]) => text.slice(0, at) + inserted + text.slice(at + removed)),
  );
  fc.assert(
    fc.property(fc.oneof(jsonText(), nearlyJson, fc.string()), (text) => {
      expect(accepts(() => scanMembers(text))).toBe(accepts(() => JSON.parse(text)));
    }),
    { numRuns: 5_000 },
  );
});

test("the elements of an array come back as the texts that were sent", () => {
  fc.assert(
    fc.property(fc.array(jsonText(), { maxLength: 6 }), (texts) => {
      expect(scanElements(`[${texts.join(" ,\n")} ]`)?.map((slice) => slice.text)).toEqual(texts);
    }),
    { numRuns: 500 },
  );
});

test("a stored text is split like one that is scanned", () => {
  const stored = { isStored: true };
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "binary" }), jsonText()), { maxLength: 6 }), (entries) => {
      const object = `{ ${entries.map(([key, text]) => `${JSON.stringify(key)} : ${text}`).join(" , ")} }`;
      const array = `[${entries.flatMap(([key, text]) => [JSON.stringify(`${key}\\`), text]).join(" ,")}]`;
      expect(scanMembers(object, stored)).toEqual(scanMembers(object));
      expect(scanElements(array, stored)).toEqual(scanElements(array));
    }),
    { numRuns: 300 },
  );
});

test("of a repeated key the last one counts, as for JSON.parse", () => {
  expect(scanMembers('{"a":1,"\\u0061":2}').members?.get("a")?.text).toBe("2");
});

test("a key named __proto__ is data", () => {
  const { members } = scanMembers('{"__proto__":{"name":"x"},"constructor":1}');
  expect(members?.get("__proto__")?.text).toBe('{"name":"x"}');
  expect(members?.get("name")).toBeUndefined();
});

test("the type and depth of each member are reported", () => {
  const { members } = scanMembers('{"a":[[{}]],"b":1,"c":"x","d":false,"e":null,"f":{}}');
  expect([...(members ?? [])].map(([key, { type, depth }]) => [key, type, depth])).toEqual([
    ["a", "array", 3],
    ["b", "number", 0],
    ["c", "string", 0],
    ["d", "boolean", 0],
    ["e", "null", 0],
    ["f", "object", 1],
  ]);
});

test("a value that is no object is named by its type", () => {
  expect(scanMembers(" [1] ")).toEqual({ type: "array", members: null });
  expect(scanMembers("null")).toEqual({ type: "null", members: null });
});

test("a million nested arrays are measured without exhausting the stack", () => {
  const depth = 1_000_000;
  const { members } = scanMembers(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  expect(members?.get("a")?.depth).toBe(depth);
});

test.each([
  ["a nest", `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
  ["a list", `{"a":[${"{},".repeat(300_000)}1]}`],
  ["members", JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, at])))],
  ["another value", `[${"1,".repeat(500_000)}1]`],
])("the scan of a megabyte of %s pauses often", (_, text) => {
  let pauses = 0;
  const scan = scanMembersInSlices(text);
  let step = scan.next();
  for (; !step.done; step = scan.next()) pauses += 1;
  expect(step.value).toEqual(scanMembers(text));
  expect(pauses).toBeGreaterThan(25);
});

test("the message of a syntax error contains the problem and its position", () => {
  expect(() => scanMembers('{"a":tru}')).toThrow('Unexpected character "t" in JSON at position 5');
  expect(() => scanMembers('{"a":')).toThrow("Unexpected end of JSON input");
});
