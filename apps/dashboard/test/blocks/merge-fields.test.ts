import { expect, test } from "vitest";
import { mergeFields } from "../../src/blocks/merge-fields.ts";

const base = { query: "May I return it?", expected: "Yes.", tags: "" };

test("what only one of two users changed is kept, from that user", () => {
  const merge = mergeFields(base, { ...base, query: "Can I return it?" }, { ...base, tags: "returns" });
  expect(merge).toEqual({
    merged: { query: "Can I return it?", expected: "Yes.", tags: "returns" },
    conflicts: [],
    taken: ["tags"],
  });
});

test("what both changed differently is a conflict; until it is solved mine stays", () => {
  const merge = mergeFields(base, { ...base, expected: "No." }, { ...base, expected: "Within 30 days." });
  expect(merge).toEqual({ merged: { ...base, expected: "No." }, conflicts: ["expected"], taken: [] });
});

test("what both changed to the same is none", () => {
  const both = { ...base, expected: "No." };
  expect(mergeFields(base, both, both)).toEqual({ merged: both, conflicts: [], taken: [] });
});
