import { expect, test } from "vitest";
import { failingCases, missText, passedCases } from "../../src/gates/ci-cases.ts";

const violation = (question_index: number, metric: string, actual: number | null, threshold = 5) => ({
  question_index,
  metric,
  threshold,
  actual,
  question_text: `Question ${question_index}?`,
});
const result = (questionIndex: number, rating: number) => ({ questionIndex, rating, justification: null, error: null });

test("failing cases are those with a violation: not answered ones first, then the worst rating", () => {
  const violations = [
    violation(0, "rating", 4),
    violation(1, "rating", 2),
    violation(1, "rougeScore", 0.314, 0.5),
    violation(3, "missing", 0, 1),
  ];
  const found = failingCases(violations, [result(0, 4), result(1, 2), result(2, 9)]);
  expect(found.map(({ index, misses }) => [index, misses.length])).toEqual([
    [3, 1],
    [1, 2],
    [0, 1],
  ]);
  expect(found[0]).toMatchObject({ question: "Question 3?", result: undefined });
});

test("passed cases are those without a violation, in the order of the dataset", () => {
  const asked = { ...result(2, 9), input: { query: "Where is it?" } };
  const withoutCase = { ...result(0, 8), questionIndex: null };
  const found = passedCases([violation(1, "rating", 2)], [asked, result(1, 2), withoutCase, result(0, 4)]);
  expect(found.map(({ index, question }) => [index, question])).toEqual([
    [0, null],
    [2, "Where is it?"],
  ]);
});

test("a case that missed a check has a sentence for it; a low rating speaks for itself", () => {
  expect(missText(violation(0, "rating", 4))).toBeNull();
  expect(missText(violation(0, "rating", null))).toBe("Not rated.");
  expect(missText(violation(0, "missing", 0))).toBe("Not answered.");
  expect(missText(violation(0, "rougeScore", 0.314, 0.5))).toBe("rougeScore 0.31 is below 0.5.");
  expect(missText(violation(0, "vectorSimilarity", null))).toBe("vectorSimilarity could not be measured.");
});
