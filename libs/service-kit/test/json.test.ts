import { limits } from "@touchstone/contracts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { endOfJsonString, parseJsonBody } from "../src/index.ts";

const { jsonValuesMax } = limits;
const many = (count: number, item: string): Buffer => Buffer.from(`[${`${item},`.repeat(count - 1)}${item}]`);

afterEach(() => void vi.restoreAllMocks());

describe("a JSON body of too many values is refused before any of it is built:", () => {
  test.each([
    ["empty lists", many(jsonValuesMax, "[]")],
    ["numbers", many(jsonValuesMax + 1, "1")],
    ["members", Buffer.from(`{${'"a":0,'.repeat(jsonValuesMax)}"a":0}`)],
    ["levels", Buffer.from("[".repeat(jsonValuesMax + 1))],
  ])("%s", (_what, body) => {
    const parse = vi.spyOn(JSON, "parse");
    expect(() => parseJsonBody(body)).toThrow(`The request body holds more than ${jsonValuesMax} JSON values.`);
    expect(parse).not.toHaveBeenCalled();
  });
});

test("a JSON body with more members than its route takes is refused before any of it is built, whatever they are called", () => {
  const parse = vi.spyOn(JSON, "parse");
  for (const body of ['{"a":{"b":0,"b":[{"c":0}]}}', '{"":0,"x:y":{},":":0,"\\"":0}']) {
    expect(() => parseJsonBody(Buffer.from(body), 3)).toThrow(
      "The request body holds more than 3 members of JSON objects.",
    );
    expect(parse).not.toHaveBeenCalled();
    expect(parseJsonBody(Buffer.from(body), 4)).toEqual(expect.anything());
    parse.mockClear();
  }
  const colons = JSON.stringify([":", ["::", '\\":":'], { ":": "::::" }]);
  expect(parseJsonBody(Buffer.from(colons), 1)).toEqual([":", ["::", '\\":":'], { ":": "::::" }]);
});

test.each([
  ["as many as are taken", many(jsonValuesMax, "1")],
  [
    "long texts with commas, brackets and quotes",
    Buffer.from(JSON.stringify({ text: '[{",\\'.repeat(jsonValuesMax) })),
  ],
])("a JSON body of %s is read", (_what, body) => {
  expect(parseJsonBody(body)).toEqual(JSON.parse(body.toString()));
});

test("a text that breaks off is not JSON, however long it is", () => {
  expect(() => parseJsonBody(Buffer.from(`"${"\\".repeat(jsonValuesMax + 1)}`))).toThrow();
});

test("a string ends at its first quote that is not escaped, however long and however escaped it is", () => {
  for (let length = 0; length < 200; length += 1) {
    for (const tail of ["", "\\", '"', '\\"', '"\\', '\\\\"', '""', "\\\\\\"]) {
      const text = JSON.stringify("x".repeat(length) + tail + "y".repeat(length % 70));
      expect(endOfJsonString(`[${text},"next"]`, 1)).toBe(1 + text.length);
    }
  }
  expect(endOfJsonString('"never ends\\"', 0)).toBe('"never ends\\"'.length);
});
