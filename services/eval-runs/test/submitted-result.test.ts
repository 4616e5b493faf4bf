import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestKey } from "../src/results/stored-result.ts";
import { readSubmittedResult } from "../src/results/submitted-result.ts";

const read = (text: string) => readSubmittedResult(JSON.parse(text), text);
const readOf = (result: object) => read(JSON.stringify(result));

describe("reading a submitted result", () => {
  test("fills in the specified defaults", { tags: ["spec:run.results.caseId"] }, () => {
    expect(readOf({ idempotencyKey: "k", questionIndex: 3, output: { text: "a" } })).toEqual({
      idempotencyKey: "k",
      caseId: "case-3",
      questionIndex: 3,
      runNumber: 1,
      query: null,
      outputText: "a",
      error: null,
      traceId: null,
      retrievalContext: null,
      latencyMs: null,
      inputTokens: null,
      outputTokens: null,
      isVariant: false,
      variantText: null,
      scores: null,
    });
  });

  test("takes null for whatever may be left out", () => {
    const nulls = {
      questionIndex: null,
      runNumber: null,
      caseId: null,
      input: null,
      error: null,
      traceId: null,
      retrievalContext: null,
      timings: null,
      isSmokeTestVariant: null,
      smokeTestVariantText: null,
    };
    const result = { idempotencyKey: "k", output: { text: "a" } };

    expect(readOf({ ...result, ...nulls })).toEqual(readOf(result));
  });

  test("takes an output that is no text as the JSON it was sent as", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        const outputText = read(`{"idempotencyKey":"k","output": { "text" : ${json} } }`)?.outputText;
        const value = JSON.parse(json);
        expect(outputText).toBe(typeof value === "string" ? value : value === null ? undefined : json.trim());
      }),
    );
  });

  test("an error needs no output, and null in it is nothing said", () => {
    expect(readOf({ idempotencyKey: "k", error: { type: null, message: "m", code: 5 } })).toMatchObject({
      outputText: null,
      error: { message: "m" },
    });
  });
});

describe("the digest of an idempotency key", () => {
  test("differs for different keys, lone surrogates included", () => {
    const anyText = fc.string({ unit: fc.constantFrom("a", "\0", "\ud800", "\udbff", "\udc00", "\ufffd", "é", "é") });
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(digestKey(one) === digestKey(other)).toBe(one === other);
      }),
    );
  });
});
