import { findOccurrences } from "./find-occurrences.ts";

/** A range of a text; `end` is exclusive. */
export interface Place {
  start: number;
  end: number;
}

interface How {
  caseSensitive: boolean;
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** The first occurrence of a term in a text, also inside words; null = none. The time is linear in the text. */
export function findTerm(text: string, term: string, how: How): Place | null {
  const { value: start } = findOccurrences(fold(text, how), fold(term, how)).next();
  return start === undefined ? null : { start, end: start + term.length };
}

/** The first occurrence of a phrase in a text, as whole words separated by any white space; null = none. */
export function findPhrase(text: string, phrase: string, how: How): Place | null {
  const words = [...fold(text, how).matchAll(/\S+/g)];
  const haystack = words.map(([word]) => word).join(" ");
  const needle = fold(phrase, how).trim().replace(/\s+/g, " ");
  if (needle === "") return null;
  for (const at of findOccurrences(haystack, needle)) {
    const end = at + needle.length;
    const begins = !(isWord(needle, 0) && isWord(haystack, at - 1));
    const ends = !(isWord(needle, needle.length - 1) && isWord(haystack, end));
    if (begins && ends) return { start: placeOf(words, at), end: placeOf(words, end - 1) + 1 };
  }
  return null;
}

const fold = (text: string, { caseSensitive }: How): string => (caseSensitive ? text : text.toLowerCase());

const isWord = (text: string, at: number): boolean => wordCharacter.test(text.charAt(at));

/** The position in the text of a character in the words joined by single spaces. */
function placeOf(words: readonly RegExpExecArray[], at: number): number {
  let joinedAt = 0;
  for (const { 0: word, index } of words) {
    if (at < joinedAt + word.length) return index + at - joinedAt;
    joinedAt += word.length + 1;
  }
  return at;
}
