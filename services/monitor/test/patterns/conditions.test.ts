import type { PatternCondition } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { type DecideSemantic, evaluateConditions } from "../../src/patterns/matching/evaluate-conditions.ts";
import type { TraceTexts } from "../../src/patterns/matching/pattern.ts";
import { readTraceTexts } from "../../src/patterns/matching/trace-texts.ts";
import { matcherAtOnce } from "../matcher-at-once.ts";

const texts = {
  response: "The refund is on its way.",
  userMessage: "Where is my refund?",
  trace: "refund_tool failed",
};

const condition = (value: string, more: Partial<PatternCondition> = {}): PatternCondition => ({
  connector: "and",
  negate: false,
  sources: ["response"],
  detector: "contains",
  value,
  caseSensitive: false,
  ...more,
});
const yes = (more: Partial<PatternCondition> = {}) => condition("refund", more);
const no = (more: Partial<PatternCondition> = {}) => condition("lawsuit", more);

const noJudge = () => Promise.reject(new Error("nobody is asked"));
/** Matches texts first, then has the judge decide the rest. */
async function evaluate(conditions: readonly PatternCondition[], looked: TraceTexts, decide: DecideSemantic) {
  const [found] = await matcherAtOnce.lookThrough(looked, [conditions], { projectId: "p" });
  if (!(found instanceof Uint8Array)) throw found;
  return evaluateConditions(conditions, { texts: looked, found }, decide);
}

const matches = async (...conditions: PatternCondition[]) => (await evaluate(conditions, texts, noJudge)).matched;

describe("conditions", () => {
  test.each([
    ["one that holds", [yes()], true],
    ["one that does not", [no()], false],
    ["and", [yes(), no()], false],
    ["or", [no(), yes({ connector: "or" })], true],
    ["nor of what is there", [yes(), yes({ connector: "nor" })], false],
    ["nor of what is not there", [yes(), no({ connector: "nor" })], true],
    ["from left to right: no and no or yes", [no(), no(), yes({ connector: "or" })], true],
    ["from left to right: yes or yes and no", [yes(), yes({ connector: "or" }), no()], false],
    ["from left to right: no or yes nor yes", [no(), yes({ connector: "or" }), yes({ connector: "nor" })], false],
    ["nor first", [no({ connector: "nor" })], true],
    ["nor first of what is there", [yes({ connector: "nor" })], false],
    ["or first", [yes({ connector: "or" })], true],
    ["negated", [no({ negate: true })], true],
    ["negated of what is there", [yes({ negate: true })], false],
    ["only one is negated", [yes({ negate: true }), yes({ connector: "or" })], true],
    ["nor of a negated one", [yes(), no({ connector: "nor", negate: true })], false],
    ["none", [], false],
  ] as const)("%s", async (_name, conditions, expected) => {
    expect(await matches(...conditions)).toBe(expected);
  });

  test.each([false, true])("on an empty text never match (negated: %s)", async (negate) => {
    const empty = { ...texts, response: " \n" };
    for (const detector of ["contains", "phrase", "regex", "semantic"] as const) {
      const { matched } = await evaluate([condition(".*", { detector, negate })], empty, noJudge);
      expect(matched).toBe(false);
    }
  });

  test.each([
    ["contains", "fund", true],
    ["contains", "REFUND", true],
    ["phrase", "fund", false],
    ["phrase", "refund", true],
    ["phrase", "refund is on", true],
    ["phrase", "refund  is\non", true],
    ["phrase", "its way", true],
    ["phrase", "its way.", true],
    ["phrase", "it", false],
    ["regex", "re.und\\b", true],
    ["regex", "^refund", false],
  ] as const)("%s of %s: %s", async (detector, value, expected) => {
    expect(await matches(condition(value, { detector }))).toBe(expected);
  });

  test("are case-sensitive on request", async () => {
    for (const detector of ["contains", "phrase", "regex"] as const) {
      expect(await matches(condition("the", { detector, caseSensitive: true }))).toBe(false);
      expect(await matches(condition("The", { detector, caseSensitive: true }))).toBe(true);
    }
  });

  test.each([
    ["contains", "ΟΔΟΣ", "ΟΔΟΣΗΜΑ"],
    ["contains", "οδος", "ΟΔΟΣΗΜΑ"],
    ["phrase", "ΟΔΟΣ", "ΟΔΟΣ.ΑΒ"],
  ] as const)("%s of %s finds %s, in which the sigma has another lower case", async (detector, value, response) => {
    const { matched } = await evaluate([condition(value, { detector })], { ...texts, response }, noJudge);
    expect(matched).toBe(true);
  });

  test("match when one of their sources does", async () => {
    expect(await matches(condition("Where", { sources: ["response", "userMessage"] }))).toBe(true);
    expect(await matches(condition("refund_tool", { sources: ["trace"] }))).toBe(true);
    expect(await matches(condition("Where", { sources: ["response"] }))).toBe(false);
  });

  test("ask a judge once each, only where the answer counts, and tell the reasons", async () => {
    const asked: string[] = [];
    const decide = async (prompt: string, text: string) => {
      asked.push(`${prompt}: ${text}`);
      return { matched: prompt === "is late", reason: `${prompt}?` };
    };
    const semantic = (value: string, more: Partial<PatternCondition> = {}) =>
      condition(value, { detector: "semantic", ...more });

    const result = await evaluate(
      [
        no(),
        semantic("is rude"),
        semantic("is late", { connector: "or", sources: ["userMessage"] }),
        semantic("is long", { connector: "or" }),
        semantic("is sad", { connector: "nor" }),
      ],
      texts,
      decide,
    );

    expect(result).toEqual({ matched: true, reasons: ["is late?", "is sad?"] });
    expect(asked).toEqual([`is late: ${texts.userMessage}`, `is sad: ${texts.response}`]);
  });

  test("have no reason of a judge for what did not match before an or", async () => {
    const decide = async (prompt: string) => ({ matched: false, reason: `${prompt}?` });
    const rude = condition("is rude", { detector: "semantic" });

    const result = await evaluate([rude, yes({ connector: "or" })], texts, decide);

    expect(result).toEqual({ matched: true, reasons: [] });
  });
});

test("the trace is its output, its error, and of each tool call the name, the output and the input", () => {
  const trace = {
    traceId: "t",
    name: "a",
    agentId: null,
    input: "question",
    output: "answer",
    error: "broken",
    model: null,
    latencyMs: null,
    inputTokens: null,
    outputTokens: null,
    retrieval: null,
    trajectory: {
      steps: [],
      omittedSteps: 0,
      toolCalls: [{ name: "search", input: { q: 1 }, output: "found" }, { name: "stop" }],
      toolDefinitions: [],
    },
  };

  const read = {
    response: "answer",
    userMessage: "question",
    trace: 'answer\nbroken\nsearch\nfound\n{"q":1}\nstop',
  };
  expect(readTraceTexts(trace)).toEqual({ texts: read, cut: [] });
});
