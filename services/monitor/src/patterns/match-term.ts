const wordCharacter = /[\p{L}\p{N}_]/u;

/** Whether a text holds a term anywhere, also inside words. */
export function containsTerm(text: string, term: string, { caseSensitive }: { caseSensitive: boolean }): boolean {
  return caseSensitive ? text.includes(term) : text.toLowerCase().includes(term.toLowerCase());
}

/** Whether a text holds a phrase as words of its own, whatever space stands between them. */
export function containsPhrase(text: string, phrase: string, { caseSensitive }: { caseSensitive: boolean }): boolean {
  const flat = (value: string): string => {
    const spaced = value.replace(/\s+/gu, " ").trim();
    return caseSensitive ? spaced : spaced.toLowerCase();
  };
  const [haystack, needle] = [flat(text), flat(phrase)];
  if (needle === "") return false;
  const [first, last] = [needle.slice(0, 1), needle.slice(-1)];
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
    const [before, after] = [haystack.charAt(at - 1), haystack.charAt(at + needle.length)];
    const begins = !(wordCharacter.test(first) && wordCharacter.test(before));
    const ends = !(wordCharacter.test(last) && wordCharacter.test(after));
    if (begins && ends) return true;
  }
  return false;
}
