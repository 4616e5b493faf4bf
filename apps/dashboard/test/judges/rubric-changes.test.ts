import { expect, test } from "vitest";
import { diffRubrics } from "../../src/judges/rubric-changes.ts";

test("only what differs between two versions is listed, the rubric's texts first", () => {
  const before = { zeta: 1, name: "A", evaluationCriteria: "Old", requiresExpected: false, judgeModel: null };
  const after = { zeta: 2, name: "A", evaluationCriteria: "New", requiresExpected: true };
  expect(diffRubrics(before, after)).toEqual([
    { key: "evaluationCriteria", label: "What is rated", before: "Old", after: "New" },
    { key: "requiresExpected", label: "Needs an expected result", before: "no", after: "yes" },
    { key: "zeta", label: "zeta", before: "1", after: "2" },
  ]);
});

test("a text that came or went is compared with nothing", () => {
  expect(diffRubrics({}, { judgePrompt: "{input}" })).toEqual([
    { key: "judgePrompt", label: "Prompt template", before: "", after: "{input}" },
  ]);
});
