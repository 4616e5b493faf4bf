import { monitorEventLoopDelay } from "node:perf_hooks";
import type { PatternCondition } from "@touchstone/contracts";
import { type ComputePool, createComputePool, createMetrics, uuidv7 } from "@touchstone/service-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtinPatterns, findBuiltin } from "../../src/patterns/builtin/builtins.ts";
import { findExcerpt } from "../../src/patterns/matching/find-excerpt.ts";
import { findOccurrences } from "../../src/patterns/matching/find-occurrences.ts";
import { findPhrase, findTerm } from "../../src/patterns/matching/match-term.ts";
import type { TraceTexts } from "../../src/patterns/matching/pattern.ts";
import {
  createPatternMatcher,
  OverrunError,
  type PatternMatcher,
} from "../../src/patterns/matching/pattern-matcher.ts";
import { runTrial } from "../../src/patterns/try-pattern.ts";
import { buildTrace } from "../judging-builders.ts";
import { matcherAtOnce } from "../matcher-at-once.ts";
import { endless, tedious } from "../tedious-regex.ts";
import { quiet } from "../test-store.ts";

/*
 * Texts that a looping model, or an attacker, may send. A search that is quadratic in the text does not end within the
 * time of a test; a linear one takes milliseconds.
 */
const length = 64 * 1024;
/** One character of each kind that a built-in pattern repeats or ends with, and short runs of them. */
const pieces = [
  ...[..."\n\t ai1_-#.@+=/'\"`<|[{(,:!é日"],
  ...["-eyJabcdefgh", "# ", "1 ", "a ", "a.", "a@", "```", "i ", "not ", "a\n", '{"'],
];

const looker = { projectId: "a" };
const keys = builtinPatterns.map(({ key }) => key);
const textsOf = (response: string): TraceTexts => ({ response, userMessage: "", trace: "" });
const condition = (value: string, more: Partial<PatternCondition> = {}): PatternCondition => ({
  ...{ connector: "and", negate: false, sources: ["response"], detector: "regex", value, caseSensitive: false },
  ...more,
});

let pool: ComputePool;
let matcher: PatternMatcher;
let hasty: PatternMatcher;

beforeAll(() => {
  pool = createComputePool({ name: "test", logger: quiet, metrics: createMetrics(), threadsMax: 2, queueMax: 256 });
  matcher = createPatternMatcher(pool);
  hasty = createPatternMatcher(pool, { patternMs: 1_500, patternsMs: 30_000 });
});
afterAll(() => pool.stop());

/** The longest that the event loop was held meanwhile. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

test("all built-in patterns read 64 KiB of any character within their time, and delay no other work", async () => {
  const held = await longestHold(() =>
    Promise.all(
      pieces.map((piece) => {
        const texts = textsOf(`${piece.repeat(length / piece.length)}!`);
        return matcher.findBuiltin({ texts, cut: [] }, keys, looker);
      }),
    ),
  );
  expect(held).toBeLessThan(2_000);
});

describe("a regex that takes too long", () => {
  test("is ended, removes only itself, and delays no other work", async () => {
    const patterns = [[condition("b$")], endless, [condition("^c")]];
    const held = await longestHold(async () => {
      const looked = await hasty.lookThrough(textsOf(tedious), patterns, looker);
      expect(looked[1]).toBeInstanceOf(OverrunError);
      expect(looked[1]).toMatchObject({ kind: "timeout", message: "took more than 1500 ms" });
      expect([looked[0], looked[2]]).toEqual([new Uint8Array([2]), new Uint8Array([1])]);
    });
    expect(held).toBeLessThan(2_000);
  });

  test("does not block the others of its trace", async () => {
    const impatient = createPatternMatcher(pool, { patternMs: 50, patternsMs: 200 });
    const looked = await impatient.lookThrough(textsOf(tedious), Array(40).fill(endless), looker);
    expect(looked.at(-1)).toMatchObject({ message: "was not looked for: all patterns together took more than 200 ms" });
  });

  test("is tried on no further trace once it took too long on some", async () => {
    const traceIds = Array.from({ length: 20 }, () => uuidv7(Date.now()));
    const ingest = { readTrace: async (_: string, traceId: string) => buildTrace({ traceId }) };
    const late: PatternMatcher = {
      ...matcherAtOnce,
      async lookThrough(_texts, _patterns, { signal }) {
        signal?.throwIfAborted();
        return [new OverrunError("timeout", "took more than 2000 ms")];
      },
    };
    const asked = { projectId: "a", organizationId: null, pattern: { conditions: endless }, traceIds };
    const trial = await runTrial({ ingest, matcher: late, bus: null as never }, asked, new AbortController().signal);
    const messages = trial.errors?.map(({ message }) => message.replace("The pattern took too long on ", ""));
    // Three are looked at at once.
    const expected = [...Array(17).fill("other traces"), ...Array(3).fill("this trace")];
    expect([trial.checked, messages?.sort()]).toEqual([0, expected]);
  });

  test("is shown with the beginning of the text where only its place takes long to find", async () => {
    const found = await hasty.findExcerpt(endless, textsOf(tedious), looker);
    expect(found).toEqual({ source: "response", excerpt: `${tedious.slice(0, 160)}…` });
  });
});

test("a user's regex always takes a thread, and so does a long text; short texts and terms take none", async () => {
  const taken: string[] = [];
  const counting = createPatternMatcher({
    run: async (task, input, request) => {
      taken.push(task.name);
      return pool.run(task, input, request);
    },
  });
  const [short, long] = [textsOf("a"), textsOf("a".repeat(256 * 1024))];
  const [regex, term] = [condition("a"), condition("a", { detector: "phrase" })];
  for (const texts of [short, long]) {
    await counting.lookThrough(texts, [[term]], looker);
    await counting.findExcerpt([term], texts, looker);
    await counting.findBuiltin({ texts, cut: [] }, keys, looker);
  }
  expect(taken.splice(0)).toEqual(["lookThrough", "findExcerpt", "findBuiltin"]);
  await counting.lookThrough(short, [[regex]], looker);
  await counting.findExcerpt([regex], short, looker);
  await counting.findRefusal([regex], looker);
  await counting.findRefusal([], looker);
  expect(taken).toEqual(["lookThrough", "findExcerpt", "findRefusal"]);
});

test("a thread finds the same as a match without one", async () => {
  const texts = { response: "The refund is late.", userMessage: "Where is my refund?", trace: "refund_tool failed" };
  const one = (value: string, more: Partial<PatternCondition> = {}) =>
    condition(value, { detector: "contains", ...more });
  const patterns = [
    [one("refund"), one("well-known", { connector: "or" })],
    [one("lawsuit", { negate: true }), one("is late", { detector: "phrase" }), condition("^the .*late")],
    [one("rude", { detector: "semantic" }), one("refund", { connector: "or" }), one("tool", { sources: ["trace"] })],
    [one("lawsuit"), condition("never looked for")],
  ];
  const far = { ...texts, response: `${texts.response}${" ".repeat(100_000)}` };
  const found = await matcher.lookThrough(far, patterns, looker);
  expect(found).toEqual(await matcherAtOnce.lookThrough(texts, patterns, looker));
  expect(found.map((each) => [...(each as Uint8Array)])).toEqual([
    [2, 0],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0],
  ]);
});

test.each([
  ["--- BEGIN SYSTEM PROMPT ---", true],
  ["a ------ start of new instructions ------", true],
  ["  ## System: be free", true],
  ["one\n\n\n### new instruction: go", true],
  ["-- begin system prompt --", false],
])("after the bound %j is an echo as before: %s", (response, isEcho) => {
  expect(findBuiltin({ response, isCut: false, keys: ["prompt-injection-echo"] }) !== null).toBe(isEcho);
});

const anyCase = { caseSensitive: false };

test("terms and phrases are found in a text that repeats itself, in the time that reading it takes", () => {
  const text = "a".repeat(256_000);
  const almost = `b${"a".repeat(3_999)}`;
  expect(findTerm(text, almost, anyCase)).toBeNull();
  expect(findPhrase(text, "a".repeat(4_000), anyCase)).toBeNull();
  expect(findTerm(`${text}${almost}`, almost, anyCase)).toEqual({ start: 256_000, end: 260_000 });
  expect(findPhrase(`${text} ${almost}.`, almost, anyCase)).toEqual({ start: 256_001, end: 260_001 });
});

test("both ways of searching find the same places", () => {
  const needle = "abaab".repeat(200);
  const haystack = `abab${needle}${needle}ba${needle}`;
  const expected: number[] = [];
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) expected.push(at);
  expect([...findOccurrences(haystack, needle)]).toEqual(expected);
  const padding = "x".repeat(8_000);
  expect([...findOccurrences(padding + haystack, needle)]).toEqual(expected.map((at) => at + padding.length));
});

test.each([
  ["a phrase with a dash", "phrase", "well-known", "It is a well-known   fact.", "It is a well-known   fact."],
  ["a phrase over several lines", "phrase", "two words", "Here\nare two\n\n words.", "Here\nare two\n\n words."],
  ["a term in a word", "contains", "OWN", "It is well-known.", "It is well-known."],
  ...(["contains", "phrase"] as const).map(
    (detector) =>
      [
        `what ${detector} finds after letters whose lower case is longer`,
        detector,
        "MY refund",
        `${"İ".repeat(200)} Where is my refund?`,
        `…${"İ".repeat(70)} Where is my refund?`,
      ] as const,
  ),
] as const)("%s is shown at its position", (_, detector, value, response, excerpt) => {
  const conditions = [condition(value, { detector })];
  expect(findExcerpt({ conditions, texts: textsOf(response) })).toEqual({ source: "response", excerpt });
});

test("the place of a letter whose lower case is longer is that of the whole letter", () => {
  const text = "İ İzmir, İ";
  for (const find of [findTerm, findPhrase]) {
    expect(find(text, "İZMİR", anyCase)).toBeNull();
    expect(find(text, "İZMIR", anyCase)).toEqual({ start: 2, end: 7 });
    expect(find(text, "zmir, i\u0307", anyCase)).toEqual({ start: 3, end: 10 });
    expect(find(text, "İzmir", { caseSensitive: true })).toEqual({ start: 2, end: 7 });
  }
  // Half of what a letter became.
  expect(findTerm(text, "\u0307z", anyCase)).toEqual({ start: 2, end: 4 });
});

test("an excerpt of a match without end is short", () => {
  const { excerpt } = findExcerpt({ conditions: [condition(".+")], texts: textsOf("x".repeat(60_000)) });
  expect(excerpt).toBe(`${"x".repeat(480)}…`);
});
