import { type DecideSemantic, evaluateConditions } from "./evaluate-conditions.ts";
import type { PatternDocument } from "./pattern.ts";
import type { Looker, PatternMatcher } from "./pattern-matcher.ts";
import type { CheckedTexts } from "./trace-texts.ts";

/** Texts that group members are scored on, and the means of searching them. */
export interface ScoredTexts extends Looker {
  checked: CheckedTexts;
  matcher: PatternMatcher;
}

/** The reason people read if a pattern as a group member timed out. */
export const overranMember = "The pattern took too long on this text.";

/**
 * The score of texts by a pattern: 0 for a failure that matches, 1 for proper conduct that matches (completions 4.4). Rejects
 * with `OverrunError` on a timeout.
 */
export async function goodnessByPattern(
  { polarity, conditions }: Pick<PatternDocument, "polarity" | "conditions">,
  { checked, matcher, ...looker }: ScoredTexts,
  decide: DecideSemantic,
): Promise<number> {
  const { texts } = checked;
  const [found] = await matcher.lookThrough(texts, [conditions], looker);
  if (!(found instanceof Uint8Array)) throw found;
  const { matched } = await evaluateConditions(conditions, { texts, found }, decide);
  return matched === (polarity === "proper") ? 1 : 0;
}

/** The same for a built-in pattern; each looks for a failure. */
export async function goodnessByBuiltin(key: string, { checked, matcher, ...looker }: ScoredTexts): Promise<number> {
  return (await matcher.findBuiltin(checked, [key], looker)) === null ? 1 : 0;
}
