import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cutBodyMembers,
  decodeSpanBody,
  emptyBody,
  encodeSpanBody,
  listBody,
  readBodyMembers,
  type SpanBody,
} from "../src/model/span-body.ts";
import { jsonText, objectText } from "./json-arbitrary.ts";

function maybe(text: fc.Arbitrary<string>): fc.Arbitrary<string | null> {
  return fc.option(text, { nil: null });
}

test("every member comes back as its text, whatever the others are", async () => {
  const body = fc.record({
    input: maybe(jsonText()),
    output: maybe(jsonText()),
    error: maybe(fc.string().map((text) => JSON.stringify(text))),
    toolCalls: maybe(fc.array(objectText()).map((elements) => `[${elements.join(",")}]`)),
    metadata: maybe(objectText()),
    performanceSummary: maybe(objectText()),
  });
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const text = await decodeSpanBody(await encodeSpanBody(sent));
      const shown = (names: (keyof SpanBody)[]): string =>
        names.map((name) => (sent[name] === null ? "" : `,"${name}":${sent[name]}`)).join("");
      expect(cutBodyMembers(text, "toolCalls").toString()).toBe(shown(["input", "output", "error", "toolCalls"]));
      expect(cutBodyMembers(text, "performanceSummary").toString()).toBe(
        shown(["input", "output", "error", "toolCalls", "metadata", "performanceSummary"]),
      );
    }),
    { numRuns: 1_000 },
  );
});

test.each([100, 3_000, 100_000])("a body of %i characters survives its compression", async (length) => {
  const input = JSON.stringify("wörds ".repeat(length / 6));
  const blob = await encodeSpanBody({ ...emptyBody, input });
  expect(blob[0]).toBe(length < 2_000 ? 0 : 1);
  expect(cutBodyMembers(await decodeSpanBody(blob), "input").toString()).toBe(`,"input":${input}`);
});

test("a body is one JSON object, readable without this module", async () => {
  const blob = await encodeSpanBody({ ...emptyBody, input: '"é"', metadata: "{}" });
  expect(JSON.parse(blob.subarray(1).toString())).toEqual({ lengths: [4, 0, 0, 0, 2, 0], input: "é", metadata: {} });
});

test.each(["é", "long ".repeat(1_000)])(
  "calls lent to a body stand beside its own input, output and error",
  async (text) => {
    const sent = { ...emptyBody, input: JSON.stringify(text), error: '"failed"', metadata: '{"a":1}' };
    const lent = listBody(await decodeSpanBody(await encodeSpanBody(sent)), '[{"name":"ö"}]');
    const body = { ...emptyBody, input: JSON.stringify(text), error: '"failed"', toolCalls: '[{"name":"ö"}]' };
    expect(readBodyMembers(await decodeSpanBody(lent))).toEqual(body);
  },
);

test("what lists show of a body is its own text up to its calls", async () => {
  const sent = {
    ...emptyBody,
    input: JSON.stringify("lång ".repeat(1_000)),
    toolCalls: '[{"name":"ö"}]',
    metadata: "{}",
  };
  const listed = listBody(await decodeSpanBody(await encodeSpanBody(sent)), null);
  expect(readBodyMembers(await decodeSpanBody(listed))).toEqual({ ...sent, metadata: null });
});

test("a body whose codec is unknown is not mistaken for another", () => {
  expect(() => decodeSpanBody(Buffer.from([9, 1, 2]))).toThrow("unknown codec 9");
});
