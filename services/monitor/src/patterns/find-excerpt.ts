import type { PatternCondition } from "@touchstone/contracts";
import { containsPhrase } from "./match-term.ts";
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

function locate(condition: PatternCondition, text: string): { start: number; end: number } | null {
  const { detector, value, caseSensitive } = condition;
  if (detector === "semantic" || text.trim() === "") return null;
  if (detector === "regex") return compileSafeRegex(value, condition).locate(text);
  if (detector === "phrase") {
    if (!containsPhrase(text, value, condition)) return null;
    // Any space may stand between its words.
    const words = value
      .trim()
      .split(/\s+/u)
      .map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    const found = new RegExp(words.join("\\s+"), caseSensitive ? "u" : "iu").exec(text);
    return found === null ? null : { start: found.index, end: found.index + found[0].length };
  }
  const start = caseSensitive ? text.indexOf(value) : text.toLowerCase().indexOf(value.toLowerCase());
  return start < 0 ? null : { start, end: start + value.length };
}

function cut(text: string, start: number, end: number): string {
  const [from, to] = [Math.max(0, start - aroundChars), Math.min(text.length, end + aroundChars)];
  const shown = text.slice(from, to).toWellFormed();
  return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}
