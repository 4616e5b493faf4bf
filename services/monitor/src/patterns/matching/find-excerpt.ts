import type { PatternCondition } from "@touchstone/contracts";
import { locate } from "./detect.ts";
import type { PatternSource, TraceTexts } from "./pattern.ts";

/** The place where a pattern matches, for people to read. */
export interface Excerpt {
  source: PatternSource;
  excerpt: string;
}

interface Excerpted {
  conditions: readonly PatternCondition[];
  texts: TraceTexts;
}

/** The number of characters shown on either side of a match. */
const aroundChars = 80;
/** The number of characters shown of a match: a regex may match all of a text. */
const foundMaxChars = 400;

/**
 * The excerpt of a matching pattern: the first match of a condition with the surrounding text; without one, as for absent terms
 * or a judge's decision, the beginning of the first searched text.
 */
export function findExcerpt({ conditions, texts }: Excerpted): Excerpt {
  const wanted = conditions.filter(({ negate, connector }, at) => !negate && (at === 0 || connector !== "nor"));
  for (const condition of wanted) {
    for (const source of condition.sources) {
      const at = texts[source].trim() === "" ? null : locate(condition, texts[source]);
      if (at !== null) return { source, excerpt: cut(texts[source], at.start, at.end) };
    }
  }
  return showBeginning({ conditions, texts });
}

/** The beginning of the first searched text. */
export function showBeginning({ conditions, texts }: Excerpted): Excerpt {
  const sources = conditions.flatMap((condition) => condition.sources);
  const source = sources.find((each) => texts[each].trim() !== "") ?? "response";
  return { source, excerpt: cut(texts[source], 0, aroundChars) };
}

function cut(text: string, start: number, end: number): string {
  const shownEnd = Math.min(end, start + foundMaxChars);
  const [from, to] = [Math.max(0, start - aroundChars), Math.min(text.length, shownEnd + aroundChars)];
  const shown = text.slice(from, to).toWellFormed();
  return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}
