import type { Sliced } from "@touchstone/service-kit";

const stepsPerPiece = 32_768;

/**
 * Length of the longest common subsequence of two token sequences, whose tokens are numbers below `vocabularySize`.
 *
 * The textbook table would take 2^38 cells for two texts of 1 MB. This is the bit-parallel form: one bit per token of
 * `columns`, and for each token of `rows` one addition over those bits (V + (V & M) | V & ~M, where M marks the
 * token's places). A bit that turns 0 has added one to the length. Words without a mark change only while a carry runs
 * through them, so a rare token costs a few words instead of all. Memory grows with the texts, never with their
 * product; time is at most rows * columns / 32 steps: some seconds for the densest 1 MB texts, in slices.
 */
export function* measureCommonSubsequence(
  rows: Uint32Array,
  columns: Uint32Array,
  vocabularySize: number,
): Sliced<number> {
  const { shared, rowsMiddle, columnsMiddle } = cutCommonEnds(rows, columns);
  if (rowsMiddle.length === 0 || columnsMiddle.length === 0) return shared;

  const marks = markPlaces(columnsMiddle, vocabularySize);
  const bits = new Uint32Array(Math.ceil(columnsMiddle.length / 32)).fill(0xffffffff);
  let steps = 0;
  for (const token of rowsMiddle) {
    const end = marks.starts[token + 1] as number;
    let carry = 0;
    let word = 0;
    for (let mark = marks.starts[token] as number; mark < end; mark += 1) {
      const markedWord = marks.words[mark] as number;
      if (carry === 1) carry = runCarry(bits, word, markedWord);
      const before = bits[markedWord] as number;
      const mask = marks.masks[mark] as number;
      const sum = before + ((before & mask) >>> 0) + carry;
      bits[markedWord] = sum | (before & ~mask);
      carry = sum > 0xffffffff ? 1 : 0;
      word = markedWord + 1;
    }
    if (carry === 1) runCarry(bits, word, bits.length);
    // A carry may cross every word; its actual length need not be counted.
    steps += bits.length;
    if (steps >= stepsPerPiece) {
      steps = 0;
      yield;
    }
  }
  return shared + countZeroBits(bits);
}

/** Carries a one through unmarked words from `from` to `until`; returns the carry out of the last word. */
function runCarry(bits: Uint32Array, from: number, until: number): 0 | 1 {
  for (let word = from; word < until; word += 1) {
    const before = bits[word] as number;
    if (before === 0xffffffff) continue;
    bits[word] = (before + 1) | before;
    return 0;
  }
  return 1;
}

/**
 * For each token, the words of the bit set in which it occurs and its bits there, ascending: entries
 * `starts[token]` up to `starts[token + 1]` of `words` and `masks`.
 */
function markPlaces(
  columns: Uint32Array,
  vocabularySize: number,
): { starts: Uint32Array; words: Uint32Array; masks: Uint32Array } {
  const starts = new Uint32Array(vocabularySize + 1);
  const lastWord = new Int32Array(vocabularySize).fill(-1);
  for (let place = 0; place < columns.length; place += 1) {
    const token = columns[place] as number;
    if (lastWord[token] === place >>> 5) continue;
    lastWord[token] = place >>> 5;
    starts[token + 1] = (starts[token + 1] as number) + 1;
  }
  for (let token = 0; token < vocabularySize; token += 1) {
    starts[token + 1] = (starts[token + 1] as number) + (starts[token] as number);
  }
  const entries = starts[vocabularySize] as number;
  const words = new Uint32Array(entries);
  const masks = new Uint32Array(entries);
  const next = starts.slice();
  lastWord.fill(-1);
  for (let place = 0; place < columns.length; place += 1) {
    const token = columns[place] as number;
    const word = place >>> 5;
    if (lastWord[token] !== word) {
      lastWord[token] = word;
      words[next[token] as number] = word;
      next[token] = (next[token] as number) + 1;
    }
    const entry = (next[token] as number) - 1;
    masks[entry] = (masks[entry] as number) | (1 << (place & 31));
  }
  return { starts, words, masks };
}

/** A common prefix and suffix belong to every longest common subsequence; `shared` is the length of both together. */
function cutCommonEnds(
  rows: Uint32Array,
  columns: Uint32Array,
): { shared: number; rowsMiddle: Uint32Array; columnsMiddle: Uint32Array } {
  const shorter = Math.min(rows.length, columns.length);
  let head = 0;
  while (head < shorter && rows[head] === columns[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && rows[rows.length - 1 - tail] === columns[columns.length - 1 - tail]) tail += 1;
  return {
    shared: head + tail,
    rowsMiddle: rows.subarray(head, rows.length - tail),
    columnsMiddle: columns.subarray(head, columns.length - tail),
  };
}

function countZeroBits(bits: Uint32Array): number {
  let zeros = 0;
  for (const word of bits) {
    for (let left = ~word; left !== 0; left &= left - 1) zeros += 1;
  }
  return zeros;
}
