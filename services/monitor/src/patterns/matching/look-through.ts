import type { PatternCondition } from "@touchstone/contracts";
import { detects } from "./detect.ts";
import type { TraceTexts } from "./pattern.ts";

/** A search of texts and its results so far, in memory that survives the termination of a thread. */
export interface LookThrough {
  texts: TraceTexts;
  /** The conditions of each pattern. */
  patterns: readonly (readonly PatternCondition[])[];
  /** For each condition of all patterns in sequence: {@link holds}, 1 if it does not, 0 if it was not needed. */
  found: Uint8Array;
  /** The number of finished patterns. */
  done: Int32Array;
}

export const holds = 2;
const holdsNot = 1;

/**
 * After this time the rest waits for another turn, so that no project keeps a thread, and no pattern pays for the previous
 * ones.
 */
const turnMs = 200;

/**
 * Evaluates the conditions that need no judge and may affect the result (see `evaluateConditions`). Continues at `done`, with
 * at least one pattern.
 */
export function lookThrough({ texts, patterns, found, done }: LookThrough): void {
  const endsAt = performance.now() + turnMs;
  const first = Atomics.load(done, 0);
  let at = patterns.slice(0, first).reduce((sum, { length }) => sum + length, 0);
  for (const [index, conditions] of patterns.entries()) {
    if (index < first) continue;
    lookFor(conditions, texts, found.subarray(at, at + conditions.length));
    at += conditions.length;
    // Aborted meanwhile: another thread continues.
    if (Atomics.compareExchange(done, 0, index, index + 1) !== index) return;
    if (performance.now() > endsAt) return;
  }
}

function lookFor(conditions: readonly PatternCondition[], texts: TraceTexts, found: Uint8Array): void {
  // Null: a judge decides.
  let matched: boolean | null = conditions[0]?.connector !== "or";
  for (const [at, condition] of conditions.entries()) {
    if (matched === (condition.connector === "or")) continue;
    const said = condition.detector === "semantic" ? null : conditionHolds(condition, texts);
    if (said !== null) found[at] = said ? holds : holdsNot;
    const value = said !== null && condition.connector === "nor" ? !said : said;
    // An undecided result stays undecided, unless this condition alone decides.
    if (matched !== null || value === (condition.connector === "or")) matched = value;
  }
}

/** The texts of a condition; without any it never matches, negated or not. */
export function presentTexts(condition: PatternCondition, texts: TraceTexts): string[] {
  if (condition.value === "") return [];
  return [...new Set(condition.sources)].map((source) => texts[source]).filter((text) => text.trim() !== "");
}

function conditionHolds(condition: PatternCondition, texts: TraceTexts): boolean {
  const present = presentTexts(condition, texts);
  return present.length > 0 && present.some((text) => detects(condition, text)) !== condition.negate;
}
