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
  const needle = fold(term, how);
  const { value: start } = findOccurrences(fold(text, how), needle).next();
  return start === undefined ? null : unfold({ start, end: start + needle.length }, text, how);
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
    if (begins && ends) return unfold({ start: placeOf(words, at), end: placeOf(words, end - 1) + 1 }, text, how);
  }
  return null;
}

/** The lower case of Σ depends on its neighbours, which a term has not. */
const fold = (text: string, { caseSensitive }: How): string =>
  caseSensitive ? text : text.toLowerCase().replaceAll("ς", "σ");

/** The place in a text of what was found in the folded text, which is longer: the lower case of "İ" has two characters. */
function unfold(found: Place, text: string, how: How): Place {
  if (fold(text, how).length === text.length) return found;
  const place = { start: 0, end: 0 };
  let foldedAt = 0;
  for (const letter of text) {
    if (foldedAt <= found.start) place.start = place.end;
    if (foldedAt >= found.end) break;
    place.end += letter.length;
    foldedAt += fold(letter, how).length;
  }
  return place;
}

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
