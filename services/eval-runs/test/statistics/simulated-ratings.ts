import type { Random } from "../../src/statistics/random.ts";

/** One way in which judges rate: the ratings of a case, and how far apart the cases are. */
export interface RatingModel {
  name: string;
  /** Draws a case; answers a function that draws a rating of it. */
  drawCase(random: Random): (shift?: number) => number;
}

const clamp = (rating: number): number => Math.min(10, Math.max(0, rating));

function normal(random: Random): number {
  let sum = -6;
  for (let index = 0; index < 12; index += 1) sum += random.fraction();
  return sum;
}

/** Draws one of the values with the given probabilities, in thousandths. */
function pick(random: Random, weighted: readonly (readonly [value: number, thousandths: number])[]): number {
  let left = random.fraction() * 1000;
  for (const [value, thousandths] of weighted) {
    left -= thousandths;
    if (left < 0) return value;
  }
  return weighted.at(-1)?.[0] as number;
}

/** Ratings as judges give them: whole numbers, mostly good with rare failures, nearly all the same, all or nothing. */
export const ratingModels: readonly RatingModel[] = [
  {
    name: "whole numbers",
    drawCase(random) {
      const level = 3 + 6 * random.fraction();
      return (shift = 0) => clamp(Math.round(level + shift + 1.5 * normal(random)));
    },
  },
  {
    name: "skewed",
    drawCase(random) {
      const level = pick(random, [
        [9.5, 700],
        [8, 200],
        [3, 100],
      ]);
      return (shift = 0) => {
        const failed = random.fraction() < 0.05;
        return clamp(failed ? 1 : level + shift + 0.7 * normal(random));
      };
    },
  },
  {
    name: "heavily tied",
    drawCase(random) {
      return (shift = 0) =>
        clamp(
          pick(random, [
            [9, 850],
            [10, 100],
            [2, 50],
          ]) + shift,
        );
    },
  },
  {
    name: "all or nothing",
    drawCase(random) {
      const hardness = random.fraction() < 0.3 ? 0.5 : 0.95;
      return (shift = 0) => (random.fraction() < hardness + shift / 10 ? 10 : 0);
    },
  },
];
