import { type DecideSemantic, evaluateConditions } from "./evaluate-conditions.ts";
import type { PatternDocument } from "./pattern.ts";
import type { Looker, PatternMatcher } from "./pattern-matcher.ts";
import type { CheckedTexts } from "./trace-texts.ts";

/** Texts that members of groups are scored by, and how they are looked through. */
export interface ScoredTexts extends Looker {
  checked: CheckedTexts;
  matcher: PatternMatcher;
}

/** What people read where a pattern as a member of a group took too long. */
export const overranMember = "The pattern took too long on this text.";

/**
 * How good texts are by a pattern: a failure that is found is 0, what is proper 1 (completions 4.4). Rejects with
 * `OverrunError` where looking for it takes too long.
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

/** The same of a built-in pattern, each of which looks for a failure. */
export async function goodnessByBuiltin(key: string, { checked, matcher, ...looker }: ScoredTexts): Promise<number> {
  return (await matcher.findBuiltin(checked, [key], looker)) === null ? 1 : 0;
}
