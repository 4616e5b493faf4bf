import { describe, expect, test } from "vitest";
import { readExpectedResult } from "../../src/writing/expected-result.ts";
import { readParaphrases } from "../../src/writing/paraphrases.ts";
import { readAnalysis } from "../../src/writing/read-analysis.ts";
import { readRegex } from "../../src/writing/regex.ts";
import { readTopic } from "../../src/writing/topic.ts";
import { buildNarrative } from "./build-narrative.ts";

describe("paraphrases", () => {
  const read = (variants: unknown, count = 20) =>
    readParaphrases(`Here you are: ${JSON.stringify({ variants })}`, { query: "Where is my order?", count });

  test("are distinct, not blank and not the question, whatever upper case and blanks do", () => {
    expect(
      read(["Where's my parcel?", " ", "where IS my  order?", "WHERE'S my parcel?", " Has it shipped? ", "", 7, null]),
    ).toEqual(["Where's my parcel?", "Has it shipped?"]);
  });

  test("are at most as many as asked for, the first ones", () => {
    expect(read(["a", "b", "b", "c"], 2)).toEqual(["a", "b"]);
  });

  test("that are longer than a question can be are left out rather than cut", () => {
    expect(read(["x".repeat(20_001), "a"])).toEqual(["a"]);
  });

  test("may be none, which is not the same as a reply that cannot be used", () => {
    expect(read(["Where is my order?"])).toEqual([]);
    for (const text of ["", "none", '{"variants": "a"}', '["a", "b"]', '{"paraphrases": ["a"]}']) {
      expect(readParaphrases(text, { query: "q", count: 1 })).toBeNull();
    }
  });
});

test("a regex is read with its explanation, or without one; a blank one is none", () => {
  expect(readRegex('{"regex": "a+", "explanation": " As. "}')).toEqual({ regex: "a+", explanation: "As." });
  expect(readRegex('{"regex": "a+"}')).toEqual({ regex: "a+", explanation: null });
  for (const text of ["a+", '{"regex": " "}', '{"regex": 7}', '{"regex": "a\\u0000"}', '{"regex": "\\ud800"}']) {
    expect(readRegex(text)).toBeNull();
  }
});

describe("an expected result", () => {
  test("is read with its rationale, or without one", () => {
    expect(readExpectedResult('{"expected": " Paris. ", "rationale": "Capital."}')).toEqual({
      expected: "Paris.",
      rationale: "Capital.",
    });
    for (const rest of ["", ', "rationale": null', ', "rationale": " "', ', "rationale": 7']) {
      expect(readExpectedResult(`{"expected": "Paris."${rest}}`)).toEqual({ expected: "Paris.", rationale: null });
    }
  });

  test("that is blank, missing or no text is none", () => {
    for (const text of ["", "Paris.", '{"expected": " "}', '{"expected": 7}', '{"rationale": "x"}']) {
      expect(readExpectedResult(text)).toBeNull();
    }
  });
});

describe("an analysis", () => {
  const read = (given: unknown) => readAnalysis(JSON.stringify(given));

  test("that is complete is read as it is", () => {
    expect(read(buildNarrative())).toEqual(buildNarrative());
  });

  test("has its scores clamped, and takes digits in a text for a number", () => {
    const { score: _, ...adherence } = buildNarrative().instructionAdherence;
    const given = { ...buildNarrative(), consistencyScore: 11, instructionAdherence: { ...adherence, score: "-2" } };
    expect(read(given)).toMatchObject({ consistencyScore: 10, instructionAdherence: { score: 0 } });
  });

  test("has unknown categories read as other, unknown levels as medium, and known ones however they are written", () => {
    const recommendations = [
      { category: "Tools ", priority: "HIGH", recommendation: "a", reasoning: "b" },
      { category: "prompting", priority: "urgent", recommendation: "c" },
      { category: 7, recommendation: "d" },
      "e",
      { category: "tools", priority: "high", recommendation: " " },
      null,
    ];
    expect(read({ ...buildNarrative(), recommendations })?.recommendations).toEqual([
      { category: "tools", priority: "high", recommendation: "a", reasoning: "b" },
      { category: "other", priority: "medium", recommendation: "c", reasoning: "" },
      { category: "other", priority: "medium", recommendation: "d", reasoning: "" },
      { category: "other", priority: "medium", recommendation: "e", reasoning: "" },
    ]);
  });

  test("treats missing members and wrong types as empty", () => {
    const given = {
      summary: "s",
      consistencyScore: 5,
      instructionAdherence: { score: 5, deviations: "none" },
      responsePatterns: [],
      reasoningAnalysis: { cotQuality: null, reasoningPatterns: ["a", " ", 7, "b"] },
      recommendations: {},
    };
    expect(read(given)).toEqual({
      summary: "s",
      consistencyScore: 5,
      instructionAdherence: { score: 5, analysis: "", deviations: [], rating: "medium" },
      responsePatterns: { similarities: [], differences: [], outliers: [], rating: "medium" },
      reasoningAnalysis: { cotQuality: "", reasoningPatterns: ["a", "b"], reasoningGaps: [], rating: "medium" },
      toolUsageAnalysis: { effectiveness: "", patterns: [], issues: [], rating: "medium" },
      recommendations: [],
      overallAssessment: { strengths: [], weaknesses: [], rating: "medium" },
    });
  });

  test("keeps lists and texts within bounds", () => {
    const endless = Array.from({ length: 1_000 }, () => "x".repeat(11_000));
    const { strengths = [] } = read({ ...buildNarrative(), overallAssessment: { strengths: endless } })
      ?.overallAssessment ?? { strengths: [] };
    expect(strengths).toHaveLength(50);
    expect(strengths[0]).toMatch(/x\.\.\. \[cut after 10000 characters\]$/);
  });

  test.each([
    ["no summary", { summary: undefined }],
    ["a blank summary", { summary: " " }],
    ["no score of consistency", { consistencyScore: undefined }],
    ["a score in words", { consistencyScore: "high" }],
    ["no score of adherence", { instructionAdherence: { analysis: "x" } }],
    ["no adherence", { instructionAdherence: undefined }],
  ])("with %s is unusable: no score is invented", (_, change) => {
    expect(read({ ...buildNarrative(), ...change })).toBeNull();
  });
});

describe("a topic", () => {
  const rest = { sentiment: "neutral", issueType: "none" };
  const read = (said: object) => readTopic(JSON.stringify({ ...rest, ...said }), ["Order status", "refund request"]);

  test.each([
    ["order STATUS.", "Order status"],
    ['"refund_request"', "refund request"],
    ["Where is my very late parcel now", "where is my very late"],
  ])("of %j is about %j", (intent, known) => {
    expect(read({ intent })).toEqual({ ...rest, intent: known });
  });

  test.each([
    [{ intent: " " }],
    [{ intent: 7 }],
    [{ intent: "a b", sentiment: "bad" }],
    [{ intent: "a b", issueType: null }],
  ])("is not read from %j", (said) => {
    expect(read(said)).toBeNull();
  });
});

test("an intent that a model repeats without end is read up to a bound", () => {
  const said = JSON.stringify({ intent: `${".".repeat(512 * 1024)}x`, sentiment: "neutral", issueType: "none" });
  expect(readTopic(said, [])).toBeNull();
});
