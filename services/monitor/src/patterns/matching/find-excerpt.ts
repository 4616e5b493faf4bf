import type { PatternCondition } from "@touchstone/contracts";
import { locate } from "./detect.ts";
import type { PatternSource, TraceTexts } from "./pattern.ts";

/** Where a pattern matches, for a person to see. */
export interface Excerpt {
  source: PatternSource;
  excerpt: string;
}

interface Excerpted {
  conditions: readonly PatternCondition[];
  texts: TraceTexts;
}

/** Shown of a text on either side of what was found. */
const aroundChars = 80;
/** Shown of what was found: a regex may match all of a text. */
const foundMaxChars = 400;

/**
 * What of the texts a pattern that matches goes by: the first condition that finds something, with what stands around
 * it; where none does, as with what must be missing or what a judge decides, the beginning of the first text looked at.
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

/** The beginning of the first text that is looked at. */
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
