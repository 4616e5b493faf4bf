import { limits } from "@touchstone/contracts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseJsonBody } from "../src/index.ts";

const { jsonValuesMax } = limits;
const many = (count: number, item: string): Buffer => Buffer.from(`[${`${item},`.repeat(count - 1)}${item}]`);

afterEach(() => void vi.restoreAllMocks());

describe("a JSON body of too many values is refused before anything of it is built:", () => {
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

test.each([
  ["as many as are taken", many(jsonValuesMax, "1")],
  [
    "long texts with commas, brackets and quotes",
    Buffer.from(JSON.stringify({ text: '[{",\\'.repeat(jsonValuesMax) })),
  ],
])("a JSON body of %s is read", (_what, body) => {
  expect(parseJsonBody(body)).toEqual(JSON.parse(body.toString()));
});

test("a text that does not end is no JSON, however long", () => {
  expect(() => parseJsonBody(Buffer.from(`"${"\\".repeat(jsonValuesMax + 1)}`))).toThrow();
});
