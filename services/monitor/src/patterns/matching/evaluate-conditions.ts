import type { PatternCondition } from "@touchstone/contracts";
import { holds, presentTexts } from "./look-through.ts";
import type { TraceTexts } from "./pattern.ts";

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
 * condition without a text to look at never matches, negated or not. What cannot change the result is not asked. `found` is
 * what looking through the texts found of each condition.
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
    const isTrue = condition.detector === "semantic" ? await asksJudge(condition) : found[at] === holds;
    matched = condition.connector === "nor" ? !isTrue : isTrue;
  }
  return { matched: matched ?? false, reasons };
}
