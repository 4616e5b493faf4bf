import { describe, expect, test } from "vitest";
import { compareSnapshots, differingParts } from "../../src/datasets/compare-snapshots.ts";

const asks = (query: string, expectedResults?: string) => ({
  main_question: { query, ...(expectedResults !== undefined && { expectedResults }) },
});

describe("two versions of a dataset", () => {
  test("pair a case that moved with itself", () => {
    const { cases } = compareSnapshots({ questions: [asks("a"), asks("b")] }, { questions: [asks("b"), asks("a")] });
    expect(cases).toEqual({ added: [], removed: [], changed: [] });
  });

  test("pair a case with the same question, at any position", () => {
    const { cases } = compareSnapshots({ questions: [asks("x"), asks("a", "1")] }, { questions: [asks("a", "2")] });
    expect(cases.changed).toEqual([
      { before: { index: 1, question: asks("a", "1") }, after: { index: 0, question: asks("a", "2") } },
    ]);
    expect(cases.removed.map(({ before }) => before?.index)).toEqual([0]);
  });

  test("pair a case whose question was rewritten by its place", () => {
    const { cases } = compareSnapshots({ questions: [asks("a"), asks("b")] }, { questions: [asks("a"), asks("B?")] });
    expect(cases.changed).toHaveLength(1);
    expect(cases.added).toEqual([]);
  });

  test("tell equal cases apart by their number", () => {
    const { cases } = compareSnapshots({ questions: [asks("a")] }, { questions: [asks("a"), asks("a")] });
    expect(cases.added.map(({ after }) => after?.index)).toEqual([1]);
  });

  test("tell the settings that differ, with those that came and went", () => {
    const { settings } = compareSnapshots(
      { name: "A", description: "x", numberOfRequests: 1 },
      { name: "B", numberOfRequests: 1, ci: { enabled: true } },
    );
    expect(settings).toEqual([
      { name: "name", before: "A", after: "B" },
      { name: "description", before: "x", after: undefined },
      { name: "ci", before: undefined, after: { enabled: true } },
    ]);
  });
});

test("the different parts of a case are listed by name", () => {
  expect(differingParts(asks("a", "1"), asks("a", "2"))).toEqual([
    { name: "expected answer", before: "1", after: "2" },
  ]);
  expect(differingParts(undefined, asks("a"))).toEqual([{ name: "question", before: undefined, after: "a" }]);
});
