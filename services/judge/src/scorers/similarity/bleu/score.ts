import type { Sliced } from "@touchstone/service-kit";
import type { TokenPair } from "../token-pair.ts";

const ordersMax = 4;
const gramsPerPiece = 4096;
/** Represents a gram that the reference lacks: neither it nor a longer one built on it matches. */
const unknownGram = -1;

/**
 * Sentence BLEU (completions 6.5), 0 to 1: geometric mean of the clipped precisions of orders 1 to 4 (fewer for shorter texts),
 * times the brevity penalty. Order 1 is not smoothed, so texts without a common token score 0; the higher orders use add-one
 * smoothing of the matches.
 */
export function* scoreBleu({ candidate, reference, vocabularySize }: TokenPair): Sliced<number> {
  const orders = Math.min(ordersMax, candidate.length, reference.length);
  let candidateGrams = Int32Array.from(candidate);
  let referenceGrams = Int32Array.from(reference);
  let gramCount = vocabularySize;
  let logPrecisions = 0;
  for (let order = 1; order <= orders; order += 1) {
    if (order > 1) {
      const numbers = new Map<number, number>();
      referenceGrams = yield* lengthen(referenceGrams, reference, order, vocabularySize, numbers, true);
      candidateGrams = yield* lengthen(candidateGrams, candidate, order, vocabularySize, numbers, false);
      gramCount = numbers.size;
    }
    const matches = yield* countClippedMatches(candidateGrams, referenceGrams, gramCount);
    if (order === 1 && matches === 0) return 0;
    const smoothing = order === 1 ? 0 : 1;
    logPrecisions += Math.log((matches + smoothing) / (candidateGrams.length + smoothing));
  }
  const brevity = candidate.length <= reference.length ? Math.exp(1 - reference.length / candidate.length) : 1;
  return Math.min(1, Math.max(0, brevity * Math.exp(logPrecisions / orders)));
}

/**
 * Turns the grams of one order into those of the next: gram i becomes (gram i, token i + order - 1), numbered through
 * `numbers`. Only the reference adds numbers; grams it lacks become {@link unknownGram} in the candidate.
 */
function* lengthen(
  grams: Int32Array,
  tokens: Uint32Array,
  order: number,
  vocabularySize: number,
  numbers: Map<number, number>,
  mayAdd: boolean,
): Sliced<Int32Array<ArrayBuffer>> {
  const longer = new Int32Array(tokens.length - order + 1).fill(unknownGram);
  for (let start = 0; start < longer.length; start += 1) {
    if (start % gramsPerPiece === gramsPerPiece - 1) yield;
    const gram = grams[start] as number;
    if (gram === unknownGram) continue;
    // Both factors stay below 2^20 (one text has at most 2^20 tokens), so the key is an exact integer.
    const key = gram * vocabularySize + (tokens[start + order - 1] as number);
    let number = numbers.get(key);
    if (number === undefined && mayAdd) {
      number = numbers.size;
      numbers.set(key, number);
    }
    if (number !== undefined) longer[start] = number;
  }
  return longer;
}

/**
 * The number of the candidate's grams that occur in the reference, each counted at most as often as it occurs there.
 */
function* countClippedMatches(candidate: Int32Array, reference: Int32Array, gramCount: number): Sliced<number> {
  const left = new Uint32Array(gramCount);
  for (const gram of reference) left[gram] = (left[gram] as number) + 1;
  yield;
  let matches = 0;
  for (const gram of candidate) {
    if (gram === unknownGram) continue;
    const remaining = left[gram] as number;
    if (remaining === 0) continue;
    left[gram] = remaining - 1;
    matches += 1;
  }
  yield;
  return matches;
}
