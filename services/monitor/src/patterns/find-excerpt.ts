import type { PatternCondition } from "@touchstone/contracts";
import { findPhrase, findTerm, type Place } from "./match-term.ts";
import type { PatternSource, TraceTexts } from "./pattern.ts";
import { compileSafeRegex } from "./safe-regex.ts";

/** Where a pattern matches, for a person to see. */
export interface Excerpt {
  source: PatternSource;
  excerpt: string;
}

/** Shown of a text on either side of what was found. */
const aroundChars = 80;

/**
 * What of the texts a pattern that matches goes by: the first condition that finds something, with what stands around
 * it; where none does, as with what must be missing or what a judge decides, the beginning of the first text looked at.
 */
export function findExcerpt(conditions: readonly PatternCondition[], texts: TraceTexts): Excerpt {
  const wanted = conditions.filter(({ negate, connector }, at) => !negate && (at === 0 || connector !== "nor"));
  for (const condition of wanted) {
    for (const source of condition.sources) {
      const at = locate(condition, texts[source]);
      if (at !== null) return { source, excerpt: cut(texts[source], at.start, at.end) };
    }
  }
  const sources = conditions.flatMap((condition) => condition.sources);
  const source = sources.find((each) => texts[each].trim() !== "") ?? "response";
  return { source, excerpt: cut(texts[source], 0, aroundChars) };
}

function locate(condition: PatternCondition, text: string): Place | null {
  if (text.trim() === "") return null;
  switch (condition.detector) {
    case "semantic":
      return null;
    case "regex":
      return compileSafeRegex(condition.value, condition).locate(text);
    case "phrase":
      return findPhrase(text, condition.value, condition);
    default:
      return findTerm(text, condition.value, condition);
  }
}

function cut(text: string, start: number, end: number): string {
  const [from, to] = [Math.max(0, start - aroundChars), Math.min(text.length, end + aroundChars)];
  const shown = text.slice(from, to).toWellFormed();
  return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}
