import { expect, test } from "vitest";
import { cutDocument } from "../src/datasets/dataset-summary.ts";
import { describeChange } from "../src/datasets/describe-change.ts";

const ask = (query: string, more: object = {}) => ({ main_question: { query, ...more } });
const base = { name: "n", numberOfRequests: 1, questions: [ask("a"), ask("b")] };
const describeOf = (before: object, after: object): string =>
  describeChange(cutDocument(JSON.stringify(before)), cutDocument(JSON.stringify(after)));

test.each([
  [{ questions: [ask("a"), ask("b"), ask("c")] }, "1 case added"],
  [{ questions: [ask("a"), ask("b"), ask("a"), ask("b")] }, "2 cases added"],
  [{ questions: [] }, "2 cases removed"],
  [{ questions: [ask("b")] }, "1 case removed"],
  [{ questions: [ask("a", { judgeGuideline: "be kind" }), ask("b")] }, "1 case changed"],
  [{ questions: [ask("a", { judgeGuideline: "be kind" }), ask("c")] }, "1 case added, 1 case removed, 1 case changed"],
  [{ questions: [ask("b"), ask("a")] }, "cases reordered"],
  [{ acceptanceCriteria: "x", rejectionCriteria: "y" }, "criteria changed"],
  [
    { questions: [ask("a")], evaluationCriteria: "x", bleuScore: { enabled: true } },
    "1 case removed, criteria changed, metrics changed",
  ],
  [{ name: "other", description: "d", numberOfRequests: 2 }, "renamed, repetitions changed, description changed"],
  [{ ci: { enabled: false } }, "CI settings changed"],
])("%j against the previous state: %s", (change, words) => {
  expect(describeOf(base, { ...base, ...change })).toBe(words);
});

test("a removed field is a change, too", () => {
  expect(describeOf({ ...base, thresholds: { enabled: true }, codeScorers: [{}] }, base)).toBe(
    "thresholds changed, code scorers changed",
  );
});
