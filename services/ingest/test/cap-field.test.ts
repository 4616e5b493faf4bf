import fc from "fast-check";
import { expect, test } from "vitest";
import { capField } from "../src/recording/cap-field.ts";
import { jsonText } from "./json-arbitrary.ts";

test("a capped value is JSON of at most the allowed length, and a short one is untouched", () => {
  const long = fc.oneof(
    fc.string({ unit: "binary", minLength: 900, maxLength: 3_000 }).map((text) => JSON.stringify(text)),
    fc.array(jsonText(), { minLength: 20, maxLength: 400 }).map((elements) => `[${elements.join(",")}]`),
    fc
      .array(jsonText(), { minLength: 20, maxLength: 400 })
      .map((items) => `{${items.map((item, index) => `"${index}":${item}`)}}`),
    fc
      .string({ unit: fc.constantFrom(..."0123456789"), minLength: 900, maxLength: 3_000 })
      .map((digits) => `1${digits}`),
  );
  fc.assert(
    fc.property(long, (text) => {
      const capped = capField(text, 1_000);
      if (text.length <= 1_000) expect(capped).toBe(text);
      else expect(capped.length).toBeLessThanOrEqual(1_000);
      expect(() => JSON.parse(capped)).not.toThrow();
    }),
    { numRuns: 300 },
  );
});

test("nothing is cut unless the operator asks for it", () => {
  const text = JSON.stringify("x".repeat(1_000_000));
  expect(capField(text, null)).toBe(text);
});

test("a string says how much of it is gone", () => {
  const capped = JSON.parse(capField(JSON.stringify("x".repeat(5_000)), 1_000)) as string;
  expect(capped).toMatch(/^x{900,}… \[truncated, 40\d\d characters dropped\]$/);
});

test("an array keeps its head and says how many elements are gone", () => {
  const capped = JSON.parse(capField(`[${Array.from({ length: 500 }, (_, index) => index).join(",")}]`, 1_000));
  expect(capped.at(0)).toBe(0);
  expect(capped.at(-1)).toEqual({ "touchstone.truncated": true, dropped: 500 - (capped.length - 1) });
});

test("an object keeps the kind it states beside a preview", () => {
  const capped = JSON.parse(capField(`{"a":"${"x".repeat(2_000)}","kind":"retrieval"}`, 1_000));
  expect(capped).toEqual({
    "touchstone.truncated": true,
    kind: "retrieval",
    preview: expect.stringMatching(/^\{"a":"x+$/),
  });
});
