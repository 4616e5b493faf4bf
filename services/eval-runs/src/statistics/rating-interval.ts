import { limits } from "@touchstone/contracts";
import type { Sliced } from "@touchstone/service-kit";
import { createRandom, type Random } from "./random.ts";

/** A run's `ratingInterval` (completions 5.10). */
export interface RatingInterval {
  level: number;
  low: number;
  high: number;
  /** The number of cases in the sample. */
  cases: number;
}

const level = 0.95;
const defaultDraws = 4_000;
/** Above this number a sum of exponential variables is drawn at once. */
const summedMax = 16;
/** Weights drawn between two yield points. */
const sliceWeights = 2_000;

/**
 * The confidence interval of the mean rating, with the run's cases as the sample; null below two cases. Repetitions of a case
 * count as one value, their mean: they carry no information about other cases.
 *
 * It is Gaffke's: it is valid for every distribution of ratings between 0 and 10, however skewed or tied, and equals the exact
 * (Clopper-Pearson) one when ratings are all or nothing. Student's t is not valid: with ten heavily tied ratings its 95 % are
 * 38 % (docs/statistics.md). The same cases and seed give the same interval.
 */
export function* estimateRatingInterval(
  caseRatings: readonly number[],
  seed: string,
  draws: number = defaultDraws,
): Sliced<RatingInterval | null> {
  if (caseRatings.length < 2) return null;
  const { ratingMin, ratingMax } = limits;
  const counts = [...Map.groupBy(caseRatings, (rating) => rating)]
    .map(([rating, alike]) => ({ rating, count: alike.length }))
    .sort((one, other) => one.rating - other.rating);
  const random = createRandom(seed);
  const lows = new Float64Array(draws);
  const highs = new Float64Array(draws);
  let drawn = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    drawn += counts.length;
    if (drawn >= sliceWeights) {
      drawn = 0;
      yield;
    }
    // Each case gets a random weight, and so does one unseen case: rated 0 at worst, 10 at best.
    const unseen = drawGamma(1, random);
    let weights = unseen;
    let sum = 0;
    for (const { rating, count } of counts) {
      const weight = drawGamma(count, random);
      weights += weight;
      sum += weight * rating;
    }
    lows[draw] = (sum + unseen * ratingMin) / weights;
    highs[draw] = (sum + unseen * ratingMax) / weights;
  }
  lows.sort();
  highs.sort();
  const outside = Math.floor(((1 - level) / 2) * draws);
  return {
    level,
    // The sums have errors around 1e-15.
    low: Math.max(ratingMin, lows[outside] as number),
    high: Math.min(ratingMax, highs[draws - 1 - outside] as number),
    cases: caseRatings.length,
  };
}

/** The sum of `count` exponential variables. */
function drawGamma(count: number, random: Random): number {
  if (count <= summedMax) {
    let product = 1;
    for (let index = 0; index < count; index += 1) product *= 1 - random.fraction();
    return -Math.log(product);
  }
  // Marsaglia and Tsang: a cubed normal variable, corrected by rejection.
  const d = count - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = drawNormal(random);
    const v = (1 + c * normal) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - random.fraction()) < 0.5 * normal * normal + d - d * v + d * Math.log(v)) return d * v;
  }
}

function drawNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  return radius * Math.cos(2 * Math.PI * random.fraction());
}
