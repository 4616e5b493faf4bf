import type { PatternCondition } from "@touchstone/contracts";
import { findPhrase, findTerm } from "./match-term.ts";
import type { TraceTexts } from "./pattern.ts";
import { compileSafeRegex, type SafeRegex } from "./safe-regex.ts";

/** What a judge said of one text; null = it could not say. */
export type DecideSemantic = (prompt: string, text: string) => Promise<{ matched: boolean; reason: string | null }>;

export interface Evaluation {
  matched: boolean;
  /** What the judges said that spoke for the match. */
  reasons: readonly string[];
}

/**
 * Evaluates conditions from left to right: `and`, `or`, `nor` (what came before, and not this one); of the first one,
 * only whether it is `nor` counts. `negate` inverts one condition. Several sources match when one of them does. A
 * condition without a text to look at never matches, negated or not. What cannot change the result is not asked.
 */
export async function evaluateConditions(
  conditions: readonly PatternCondition[],
  texts: TraceTexts,
  decide: DecideSemantic,
): Promise<Evaluation> {
  let matched: boolean | null = null;
  const reasons: string[] = [];
  for (const condition of conditions) {
    const before: boolean = matched ?? condition.connector !== "or";
    const isDecided = condition.connector === "or" ? before : !before;
    if (isDecided) {
      matched = before;
      continue;
    }
    const holds = await conditionHolds(condition, texts, decide, reasons);
    matched = condition.connector === "nor" ? !holds : holds;
  }
  return { matched: matched ?? false, reasons };
}

async function conditionHolds(
  condition: PatternCondition,
  texts: TraceTexts,
  decide: DecideSemantic,
  reasons: string[],
): Promise<boolean> {
  const present = [...new Set(condition.sources)].map((source) => texts[source]).filter((text) => text.trim() !== "");
  if (present.length === 0 || condition.value === "") return false;
  if (condition.detector === "semantic") {
    const { matched, reason } = await decide(condition.value, present.join("\n\n"));
    if (reason !== null) reasons.push(reason);
    return matched !== condition.negate;
  }
  return present.some((text) => detects(condition, text)) !== condition.negate;
}

function detects(condition: PatternCondition, text: string): boolean {
  switch (condition.detector) {
    case "phrase":
      return findPhrase(text, condition.value, condition) !== null;
    case "regex":
      return regexOf(condition).test(text);
    default:
      return findTerm(text, condition.value, condition) !== null;
  }
}

/** Compiled ones, kept as long as their condition is. */
const compiled = new WeakMap<PatternCondition, SafeRegex>();

function regexOf(condition: PatternCondition): SafeRegex {
  let regex = compiled.get(condition);
  if (regex === undefined) {
    regex = compileSafeRegex(condition.value, condition);
    compiled.set(condition, regex);
  }
  return regex;
}
