import { analysisNarrative } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { parseVerdict } from "../../src/verdicts/parse-verdict.ts";
import { readExpectedResult } from "../../src/writing/expected-result.ts";
import { readParaphrases } from "../../src/writing/paraphrases.ts";
import { readAnalysis } from "../../src/writing/read-analysis.ts";
import { buildNarrative } from "../writing/build-narrative.ts";
import { malformedAnswers } from "./malformed-answers.ts";

const seeds = 2_000;

/** Mulberry32: always the same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const answers = [
  ...malformedAnswers.flatMap(([, entries]) => entries.flatMap(({ said }) => (said === null ? [] : [said]))),
  '{"variants": ["Which city is it?", "And which is its capital?"]}',
  '{"expected": "Paris.", "rationale": "It is the capital."}',
  JSON.stringify(buildNarrative()),
];

/** Input that breaks parsers: the marks of JSON, its odd numbers, and lookalike characters. */
const pieces = [
  ...'{}[]",:\\0',
  "null",
  "1e999",
  "-1",
  "NaN",
  "__proto__",
  '"rating": 11',
  '{"rating": 3}',
  "```json\n",
  "\0",
  "\ud800",
  "\\ud800",
  "\u2028",
  "\uff11",
];

/** An answer with pieces cut out, put in, doubled or moved, one to six times. */
function mutate(seed: number): string {
  const next = numbersFrom(seed);
  const below = (max: number): number => Math.floor(next() * max);
  const pick = (from: readonly string[]): string => from[below(from.length)] as string;
  let text = pick(answers);
  for (let left = 1 + below(6); left > 0; left -= 1) {
    const at = below(text.length + 1);
    const until = Math.min(text.length, at + below(12));
    const changes = [
      () => text.slice(0, at) + text.slice(until),
      () => text.slice(0, at) + pick(pieces) + text.slice(at),
      () => text.slice(0, at) + pick(pieces) + text.slice(until),
      () => text.slice(0, until) + text.slice(at),
      () => text.slice(at) + text.slice(0, at),
      () => `${text}${pick(answers)}`,
      () => text.slice(0, at),
    ];
    text = (changes[below(changes.length)] as () => string)();
  }
  return text;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test(`for any reply of a model, in ${seeds} mutations, the parsed verdict is within its bounds or absent`, {
  tags: ["spec:limit.rating"],
}, () => {
  let verdicts = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const text = mutate(seed);
    const verdict = parseVerdict(text);
    const paraphrases = readParaphrases(text, { query: "Which?", count: 2 });
    const expected = readExpectedResult(text);
    const narrative = readAnalysis(text);

    if (verdict !== null) {
      verdicts += 1;
      expect(verdict.rating, `seed ${seed}`).toBeGreaterThanOrEqual(0);
      expect(verdict.rating, `seed ${seed}`).toBeLessThanOrEqual(10);
    }
    expect(paraphrases?.length ?? 0, `seed ${seed}`).toBeLessThanOrEqual(2);
    if (expected !== null) expect(expected.expected, `seed ${seed}`).not.toBe("");
    if (narrative !== null) expect(analysisNarrative.parse(narrative), `seed ${seed}`).toEqual(narrative);
    for (const storable of textsIn([verdict, paraphrases, expected, narrative])) {
      expect(storable.isWellFormed() && !storable.includes("\0"), `seed ${seed}`).toBe(true);
    }
  }
  // Neither everything nor nothing: the mutations reach both sides.
  expect(verdicts).toBeGreaterThan(seeds / 10);
  expect(verdicts).toBeLessThan((seeds * 9) / 10);
});
