import type { PatternCondition } from "@touchstone/contracts";
import { holds, presentTexts } from "./look-through.ts";
import type { TraceTexts } from "./pattern.ts";

/** A judge's decision on one text; null = it could not decide. */
export type DecideSemantic = (prompt: string, text: string) => Promise<{ matched: boolean; reason: string | null }>;

export interface Evaluation {
  matched: boolean;
  /** The judges' reasons for the match. */
  reasons: readonly string[];
}

/**
 * Evaluates conditions from left to right: `and`, `or`, `nor` (the previous result, and not this one); the first connector
 * matters only if it is `nor`. `negate` inverts one condition. Several sources match when one of them does. A condition without
 * a text never matches, negated or not. The judge is not asked if its answer cannot change the result. `found` contains the
 * results of searching the texts per condition.
 */
export async function evaluateConditions(
  conditions: readonly PatternCondition[],
  { texts, found }: { texts: TraceTexts; found: Uint8Array },
  decide: DecideSemantic,
): Promise<Evaluation> {
  let matched: boolean | null = null;
  const reasons: string[] = [];

  async function asksJudge(condition: PatternCondition): Promise<boolean> {
    const present = presentTexts(condition, texts);
    if (present.length === 0) return false;
    const said = await decide(condition.value, present.join("\n\n"));
    if (said.reason !== null) reasons.push(said.reason);
    return said.matched !== condition.negate;
  }

  for (const [at, condition] of conditions.entries()) {
    const before: boolean = matched ?? condition.connector !== "or";
    const isDecided = condition.connector === "or" ? before : !before;
    if (isDecided) {
      matched = before;
      continue;
    }
    // What came before did not match, and its reasons say why.
    if (condition.connector === "or") reasons.length = 0;
    const isTrue = condition.detector === "semantic" ? await asksJudge(condition) : found[at] === holds;
    matched = condition.connector === "nor" ? !isTrue : isTrue;
  }
  return { matched: matched ?? false, reasons };
}
