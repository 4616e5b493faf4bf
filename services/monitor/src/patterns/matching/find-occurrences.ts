/** Below this number of comparisons the engine's own search is the fastest for any text. */
const cheapComparisons = 4_000_000;

/**
 * The occurrences of one text in another, from left to right, including overlapping ones. The engine's own search compares up
 * to the product of both lengths if both are repetitive; for long texts Knuth-Morris-Pratt needs at most twice the sum.
 */
export function* findOccurrences(haystack: string, needle: string): Generator<number, undefined> {
  if (needle === "" || needle.length > haystack.length) return;
  if (haystack.length * needle.length > cheapComparisons) {
    yield* scan(haystack, needle);
    return;
  }
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) yield at;
}

function* scan(haystack: string, needle: string): Generator<number, undefined> {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < haystack.length; at += 1) {
    matched = advance(needle, borders, matched, haystack.charCodeAt(at));
    if (matched < needle.length) continue;
    yield at + 1 - needle.length;
    matched = borders[matched - 1] as number;
  }
}

/** For each prefix of a text, the length of the longest shorter prefix that is also its suffix. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length);
  for (let at = 1; at < needle.length; at += 1) {
    borders[at] = advance(needle, borders, borders[at - 1] as number, needle.charCodeAt(at));
  }
  return borders;
}

/** The matched length of the needle after one more character. */
function advance(needle: string, borders: Uint32Array, matched: number, character: number): number {
  let kept = matched;
  while (kept > 0 && needle.charCodeAt(kept) !== character) kept = borders[kept - 1] as number;
  return needle.charCodeAt(kept) === character ? kept + 1 : kept;
}
