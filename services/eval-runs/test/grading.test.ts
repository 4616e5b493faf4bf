import { describe, expect, test } from "vitest";
import { readGrading } from "../src/grading/cases.ts";

const readCases = (...cases: object[]) => {
  const questions = cases.map((main) => ({ main_question: { query: "q", ...main } }));
  return readGrading({ id: "dataset", document: JSON.stringify({ name: "n", questions }) }).cases;
};

const bare = {
  query: "q",
  followUps: [],
  expectedResults: null,
  judgeGuideline: null,
  retrievalContext: null,
  expectedRetrievalContext: null,
  expectedTrajectory: null,
  expectedCapabilities: [],
  expectedKnowledgeBase: [],
  expectedDelegations: [],
  smokeTest: null,
};

describe("the cases of a dataset", () => {
  test("are in order, with null for missing ones", () => {
    expect(readCases({}, { query: "second", expectedResults: "\n", retrievalContext: null })).toEqual([
      bare,
      { ...bare, query: "second" },
    ]);
  });

  test("have their follow-up questions in order", () => {
    const questions = [{ main_question: { query: "q" }, follow_up_questions: [{ query: "and" }, { query: "then" }] }];
    const { cases } = readGrading({ id: "dataset", document: JSON.stringify({ name: "n", questions }) });
    expect(cases).toEqual([{ ...bare, followUps: ["and", "then"] }]);
  });

  test("have every input of the specification", () => {
    const [first] = readCases({
      expectedResults: "e",
      judgeGuideline: "g",
      retrievalContext: ["a"],
      expectedRetrievalContext: ["b", "c"],
      expectedTrajectory: { tools: ["search", "book"], mode: "subset" },
      expectedCapabilities: ["plans"],
      expectedKnowledgeBase: ["prices"],
      expectedDelegations: ["billing"],
      smokeTest: { enabled: true, count: 3, guidance: "politely" },
    });

    expect(first).toEqual({
      query: "q",
      followUps: [],
      expectedResults: "e",
      judgeGuideline: "g",
      retrievalContext: ["a"],
      expectedRetrievalContext: "b\n\nc",
      expectedTrajectory: { tools: ["search", "book"], mode: "subset" },
      expectedCapabilities: ["plans"],
      expectedKnowledgeBase: ["prices"],
      expectedDelegations: ["billing"],
      smokeTest: { count: 3, guidance: "politely" },
    });
  });

  test.each([
    [{ expectedTrajectory: { tools: ["a"] } }, { expectedTrajectory: { tools: ["a"], mode: "strict" } }],
    [{ expectedTrajectory: { tools: [], mode: "exact" } }, { expectedTrajectory: { tools: [], mode: "strict" } }],
    [{ expectedTrajectory: { tools: "a" } }, { expectedTrajectory: null }],
    [{ expectedTrajectory: "a" }, { expectedTrajectory: null }],
    [{ expectedRetrievalContext: " " }, { expectedRetrievalContext: null }],
    [{ expectedRetrievalContext: ["", 5, "b"] }, { expectedRetrievalContext: "\n\nb" }],
    [{ expectedCapabilities: "plans" }, { expectedCapabilities: [] }],
    [{ smokeTest: { enabled: true } }, { smokeTest: { count: 1, guidance: null } }],
    [{ smokeTest: { enabled: true, count: 2.9, guidance: " " } }, { smokeTest: { count: 2, guidance: null } }],
    [{ smokeTest: { enabled: true, count: 0 } }, { smokeTest: null }],
    [{ smokeTest: { enabled: false, count: 3 } }, { smokeTest: null }],
  ])("%j reads as %j", (sent, read) => {
    expect(readCases(sent)).toEqual([{ ...bare, ...read }]);
  });
});
