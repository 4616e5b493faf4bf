import { limits } from "@touchstone/contracts";
import { foldCase } from "./search-text.ts";

/** The LIKE pattern of a search term, for any text that contains it. Null = no search. */
export function searchPattern(term: string | null): string | null {
  if (term === null) return null;
  const cut = term.length > limits.searchTermMaxChars ? cutCharacters(term, limits.searchTermMaxChars) : term;
  const folded = foldCase(cut);
  return folded === "" ? null : `%${folded.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** The term of a pattern made by {@link searchPattern}. */
export function searchTerm(pattern: string): string {
  return pattern.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
}

/** The first `count` characters; a surrogate pair is one. */
function cutCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}
