import { expect, test } from "vitest";
import { caseOf, draftOf, duplicateSentence } from "../../src/blocks/case-drafts.ts";

const preview = {
  case: {
    main_question: { query: "May I return it?", judgeGuideline: "Mind the policy." },
    follow_up_questions: [{ query: "And by post?" }],
    source: { traceId: "7" },
  },
  turns: [{ actualOutput: "Yes.", error: null }],
};

test("a draft begins as it was recorded", () => {
  expect(draftOf("7", preview)).toMatchObject({ query: "May I return it?", expected: "", actualOutput: "Yes." });
});

test("a case keeps what was recorded and takes what was typed", () => {
  const draft = { ...draftOf("7", preview), query: "Can I return it?", expected: "Within 30 days." };
  expect(caseOf(draft, "signal-1")).toEqual({
    main_question: {
      query: "Can I return it?",
      judgeGuideline: "Mind the policy.",
      expectedResults: "Within 30 days.",
    },
    follow_up_questions: [{ query: "And by post?" }],
    source: { traceId: "7", signalId: "signal-1" },
  });
});

test("a case without a reference answer names none", () => {
  expect(caseOf(draftOf("7", preview)).main_question).not.toHaveProperty("expectedResults");
});

test("a near duplicate is shown with its similarity", () => {
  expect(duplicateSentence({ reason: "similar-query", existingQuery: "Returns?", similarity: 0.934 })).toBe(
    "The dataset asks nearly the same (similarity 0.93): “Returns?”",
  );
});
