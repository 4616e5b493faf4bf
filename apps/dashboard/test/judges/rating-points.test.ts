import { expect, test } from "vitest";
import { meanOf } from "../../src/judges/rating-points.ts";

test("the mean of a window weighs each stretch by its ratings, and is unknown without any", () => {
  expect(
    meanOf([
      { averageRating: 10, count: 1 },
      { averageRating: null, count: 0 },
      { averageRating: 4, count: 3 },
    ]),
  ).toEqual({ count: 4, mean: 5.5 });
  expect(meanOf([{ averageRating: null, count: 0 }])).toEqual({ count: 0, mean: null });
});
