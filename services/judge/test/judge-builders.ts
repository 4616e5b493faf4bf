import { createSecretKey } from "node:crypto";
import type { JudgedCase, JudgeRubric, Trajectory } from "@touchstone/contracts";

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
    judgePrompt: null,
    toolContext: "simple",
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
    expectedCapabilities: [],
    expectedKnowledgeBase: [],
    expectedDelegations: [],
    trajectory: null,
    ...overrides,
  };
}

export const fenceSecret = createSecretKey(Buffer.from("a secret that only this test installation knows"));

/** A trace that recorded nothing. */
export function buildTrajectory(overrides: Partial<Trajectory> = {}): Trajectory {
  return { steps: [], omittedSteps: 0, toolCalls: [], toolDefinitions: [], ...overrides };
}

type Step = Trajectory["steps"][number];

/** A step of which only the name is known. */
export function buildStep(overrides: Partial<Step> = {}): Step {
  return {
    depth: 0,
    name: "step",
    kind: "chain",
    model: null,
    latencyMs: null,
    input: null,
    output: null,
    error: null,
    ...overrides,
  };
}
