import { limits } from "@touchstone/contracts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { decodeInSlices, decodeJsonText, endOfJsonString, parseJsonText, runAtOnce } from "../src/index.ts";

const { jsonValuesMax } = limits;
const many = (count: number, item: string): Buffer => Buffer.from(`[${`${item},`.repeat(count - 1)}${item}]`);

const parseJsonBody = (body: Buffer, namesMax?: number): unknown => parseJsonText(decodeJsonText(body), namesMax);

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

describe("a large text that is decoded with pauses", () => {
  const pieceBytes = 256 * 1024;

  test.each(["é", "€", "😀", "\uFEFF", "\uFFFD"])("is the same wherever %j is between two pieces", (character) => {
    for (let before = pieceBytes - 5; before <= pieceBytes + 1; before += 1) {
      const text = `${"x".repeat(before)}${character}${"y".repeat(pieceBytes)}${character}`;
      expect(runAtOnce(decodeInSlices(Buffer.from(text))) === text).toBe(true);
    }
  });

  test("has no byte order mark at its beginning", () => {
    expect(runAtOnce(decodeInSlices(Buffer.from(`\uFEFF${"x".repeat(pieceBytes)}`)))).toBe("x".repeat(pieceBytes));
  });

  test.each([
    ["a continuation without a beginning", Buffer.alloc(2 * pieceBytes, 0x80)],
    ["a character that breaks off", Buffer.concat([Buffer.alloc(pieceBytes, "x"), Buffer.from([0xe2, 0x82])])],
    [
      "one that breaks off between two pieces",
      Buffer.from(`${"x".repeat(pieceBytes - 1)}\u20AC`).fill("y", pieceBytes),
    ],
  ])("is refused with %s", (_what, body) => {
    expect(() => runAtOnce(decodeInSlices(body))).toThrow("The request body is not valid UTF-8.");
  });
});
