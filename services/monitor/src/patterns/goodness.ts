import { findBuiltin } from "./builtin/builtins.ts";
import { type DecideSemantic, evaluateConditions } from "./evaluate-conditions.ts";
import type { PatternDocument, TraceTexts } from "./pattern.ts";

/** How good texts are by a pattern: a failure that is found is 0, what is proper 1 (completions 4.4). */
export async function goodnessByPattern(
  { polarity, conditions }: Pick<PatternDocument, "polarity" | "conditions">,
  texts: TraceTexts,
  decide: DecideSemantic,
): Promise<number> {
  const { matched } = await evaluateConditions(conditions, texts, decide);
  return matched === (polarity === "proper") ? 1 : 0;
}

/** The same of a built-in pattern, each of which looks for a failure. */
export function goodnessByBuiltin(key: string, { response }: TraceTexts): number {
  return findBuiltin(response, [key]) === null ? 1 : 0;
}
