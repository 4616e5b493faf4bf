import { describe, expect, test } from "vitest";
import { extrasOf, findCases, variantsOf } from "../../src/datasets/case-rules.ts";

describe("a search of cases", () => {
  const questions = [
    { main_question: { query: "Refund after 30 days?", expectedResults: "No." }, split: "dev" },
    { main_question: { query: "Where is my parcel?", judgeGuideline: "Never promise a refund." }, tags: ["tracking"] },
  ];

  test("finds every word, in any part", () => {
    expect(findCases(questions, "refund").map(({ index }) => index)).toEqual([0, 1]);
    expect(findCases(questions, "refund TRACKING").map(({ index }) => index)).toEqual([1]);
    expect(findCases(questions, "30 parcel")).toEqual([]);
  });

  test("of nothing finds all, each in its place", () => {
    expect(findCases(questions, " ").map(({ index }) => index)).toEqual([0, 1]);
  });
});

test("variants count only when they are switched on", () => {
  const smokeTest = (value: { enabled: boolean; count?: number }) => ({
    main_question: { query: "a", smokeTest: value },
  });
  expect(variantsOf(smokeTest({ enabled: true }))).toBe(1);
  expect(variantsOf(smokeTest({ enabled: true, count: 3 }))).toBe(3);
  expect(variantsOf(smokeTest({ enabled: false, count: 3 }))).toBe(0);
  expect(variantsOf({ main_question: { query: "a" } })).toBe(0);
});

test("other graded fields are described in words; empty ones are not", () => {
  const main = { query: "a", judgeGuideline: "", retrievalContext: ["x"], expectedTrajectory: { tools: [] } };
  expect(extrasOf({ main_question: main })).toEqual(["tools", "context"]);
});
