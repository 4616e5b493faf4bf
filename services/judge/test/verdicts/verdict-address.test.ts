import type { JudgedCase, JudgeRubric, Trajectory } from "@touchstone/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressOf, type VerdictQuestion, writeCanonically } from "../../src/verdicts/verdict-address.ts";
import { buildCase, buildRubric } from "../judge-builders.ts";

const trajectory: Trajectory = {
  steps: [{ depth: 0, name: "search", kind: "tool", model: null, latencyMs: 12, input: "a", output: "b", error: null }],
  omittedSteps: 0,
  toolCalls: [{ name: "search", input: { query: "x" } }],
  toolDefinitions: [{ name: "search", definition: "{}" }],
};

function address(
  changes: Partial<VerdictQuestion> & { rubricIs?: Partial<JudgeRubric>; caseIs?: Partial<JudgedCase> } = {},
): string {
  const { rubricIs = {}, caseIs = {}, ...question } = changes;
  return addressOf({
    api: "responses",
    host: "api.openai.com",
    model: "gpt-4.1",
    promptVersion: "1",
    rubric: buildRubric(rubricIs),
    judged: buildCase({ trajectory, ...caseIs }),
    runNumber: 1,
    ...question,
  }).toString("hex");
}

describe("the address of a verdict", () => {
  test.for<[string, Parameters<typeof address>[0]]>([
    ["the wire API", { api: "chat" }],
    ["the provider's host", { host: "127.0.0.1:11434" }],
    ["the model", { model: "gpt-4.1-mini" }],
    ["the prompt's version", { promptVersion: "2" }],
    ["the run number", { runNumber: 2 }],
    ["the acceptance criteria", { rubricIs: { acceptanceCriteria: "Polite." } }],
    ["the rejection criteria", { rubricIs: { rejectionCriteria: "Polite." } }],
    ["the evaluation criteria", { rubricIs: { evaluationCriteria: "Polite." } }],
    ["a template of the rubric's own", { rubricIs: { judgePrompt: "{input}" } }],
    ["what is shown of the trace", { rubricIs: { toolContext: "detailed" } }],
    ["the input", { caseIs: { input: "?" } }],
    ["the output", { caseIs: { output: "?" } }],
    ["the expected result", { caseIs: { expected: null } }],
    ["the context", { caseIs: { context: "?" } }],
    ["the guideline", { caseIs: { guideline: "?" } }],
    ["expected capabilities", { caseIs: { expectedCapabilities: ["?"] } }],
    ["expected knowledge", { caseIs: { expectedKnowledgeBase: ["?"] } }],
    ["expected delegations", { caseIs: { expectedDelegations: ["?"] } }],
    ["the trajectory", { caseIs: { trajectory: { ...trajectory, omittedSteps: 1 } } }],
    ["that there is no trajectory", { caseIs: { trajectory: null } }],
  ])("is another with %s", ([, changes]) => {
    expect(address(changes)).not.toBe(address());
  });

  test("is the same whatever the rubric is called, and whether it insists on an expected result", () => {
    expect(address({ rubricIs: { id: "x", name: "y", model: "z", requiresExpected: true } })).toBe(address());
  });

  test("does not depend on the trace of a judge that sees nothing of it", () => {
    const blind = { rubricIs: { toolContext: "none" } } as const;
    expect(address({ ...blind, caseIs: { trajectory: null } })).toBe(address(blind));
  });

  test("depends on the tools' definitions for a judge that is shown them, and for no other", () => {
    const undefinedTools = { trajectory: { ...trajectory, toolDefinitions: [] } };
    expect(address({ caseIs: undefinedTools })).toBe(address());
    const detailed = { rubricIs: { toolContext: "detailed" } } as const;
    expect(address({ ...detailed, caseIs: undefinedTools })).not.toBe(address(detailed));
  });

  test("tells apart texts that differ in half a surrogate pair, which UTF-8 cannot write", () => {
    expect(address({ caseIs: { input: "\ud800" } })).not.toBe(address({ caseIs: { input: "\ud801" } }));
  });

  test("is unchanged: a change here loses every stored verdict", () => {
    expect(address()).toBe("1d15ba0eba8a0db54cce6f8b6229ebde96204579652a5162eb2debcda1f55938");
  });
});

describe("canonical JSON", () => {
  test("is the same text for the same value, in whatever order its members were written", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeCanonically(reverseMembers(value) as never)).toBe(writeCanonically(value as never));
      }),
    );
  });

  test("is JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(writeCanonically(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reverseMembers(member)]),
  );
}
