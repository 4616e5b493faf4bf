import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";

/** A primary judge without criteria, on the default model. */
export function buildRubric(overrides: Partial<JudgeRubric> = {}): JudgeRubric {
  return {
    id: "primary",
    name: null,
    model: null,
    acceptanceCriteria: null,
    rejectionCriteria: null,
    evaluationCriteria: null,
    requiresExpected: false,
    ...overrides,
  };
}

/** An answered question with an expected result and nothing else. */
export function buildCase(overrides: Partial<JudgedCase> = {}): JudgedCase {
  return {
    input: "Where is my order?",
    output: "It arrives on Tuesday.",
    expected: "It arrives on Tuesday.",
    context: null,
    guideline: null,
    ...overrides,
  };
}

export const fenceSecret = Buffer.from("a secret that only this test installation knows");
