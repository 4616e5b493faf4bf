import type { Sliced } from "@touchstone/service-kit";
import { createRandom, type Random } from "./random.ts";

/** The difference between two runs over the same cases. */
export interface PairedDifference {
  /** Cases rated in both runs. */
  cases: number;
  /** Mean over the cases of candidate minus baseline. */
  difference: number;
  /** The 95 % interval of the true mean difference. */
  low: number;
  high: number;
  /** Two-sided, for the hypothesis "there is no difference". */
  pValue: number;
}

/** With fewer cases even the most extreme signs have a probability above 5 %: nothing can be significant. */
const pairedCasesMin = 6;

const level = 0.95;
/** Up to this number of cases all sign vectors are enumerated: 2^14 of them. */
const exactCasesMax = 14;
const defaultFlips = 20_000;
/** Cases processed between two yield points. */
const sliceCases = 50_000;

/**
 * The sign-flip permutation test of the mean difference and the interval that inverts it (completions 5.6). The only assumption
 * is that a case's difference is equally likely to fall on either side of the true one; neither a normal distribution nor
 * distinct values are required. Null below {@link pairedCasesMin} cases. The same differences and seed give the same result.
 *
 * Flipping the signs of a set S of cases makes the mean at least as large as it was exactly when the mean over S is at most the
 * tested value. So one pass over the means of the sets gives both results: the number of means that are at most 0 is the
 * p-value, and the interval extends from one of the smallest means to one of the largest (Hartigan's typical values).
 */
export function* comparePairs(
  differences: readonly number[],
  { seed, flips = defaultFlips }: { seed: string; flips?: number },
): Sliced<PairedDifference | null> {
  const cases = differences.length;
  if (cases < pairedCasesMin) return null;
  const means =
    cases <= exactCasesMax
      ? meansOfAllSets(differences)
      : yield* meansOfRandomSets(differences, flips, createRandom(seed));
  means.sort();

  // The observed signs are one more possibility, which counts as equally extreme.
  const possibilities = means.length + 1;
  const outside = Math.floor(((1 - level) / 2) * possibilities);
  const notAbove = 1 + countNotAbove(means, 0);
  const notBelow = possibilities - countBelow(means, 0);
  return {
    cases,
    difference: clean(differences.reduce((sum, difference) => sum + difference, 0) / cases),
    low: means[outside - 1] as number,
    high: means[means.length - outside] as number,
    pValue: Math.min(1, (2 * Math.min(notAbove, notBelow)) / possibilities),
  };
}

/** For every non-empty set of cases. */
function meansOfAllSets(differences: readonly number[]): Float64Array {
  const count = 2 ** differences.length;
  const sums = new Float64Array(count);
  const sizes = new Uint8Array(count);
  const means = new Float64Array(count - 1);
  for (let set = 1; set < count; set += 1) {
    const rest = set & (set - 1);
    sums[set] = (sums[rest] as number) + (differences[31 - Math.clz32(set ^ rest)] as number);
    sizes[set] = (sizes[rest] as number) + 1;
    means[set - 1] = clean((sums[set] as number) / (sizes[set] as number));
  }
  return means;
}

/** For sets that contain each case with probability one half; the empty set is drawn again. */
function* meansOfRandomSets(differences: readonly number[], count: number, random: Random): Sliced<Float64Array> {
  const means = new Float64Array(count);
  let seen = 0;
  for (let drawn = 0; drawn < count; ) {
    seen += differences.length;
    if (seen >= sliceCases) {
      seen = 0;
      yield;
    }
    let sum = 0;
    let size = 0;
    let bits = 0;
    for (let index = 0; index < differences.length; index += 1) {
      if (index % 32 === 0) bits = random.bits();
      if ((bits & 1) === 1) {
        sum += differences[index] as number;
        size += 1;
      }
      bits >>>= 1;
    }
    if (size === 0) continue;
    means[drawn] = clean(sum / size);
    drawn += 1;
  }
  return means;
}

function countBelow(sorted: Float64Array, value: number): number {
  return countWhile(sorted, (mean) => mean < value);
}

function countNotAbove(sorted: Float64Array, value: number): number {
  return countWhile(sorted, (mean) => mean <= value);
}

function countWhile(sorted: Float64Array, holds: (mean: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sums of decimal fractions have errors around 1e-16, which must not turn a difference of 0 into a negative one. */
function clean(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0;
}
