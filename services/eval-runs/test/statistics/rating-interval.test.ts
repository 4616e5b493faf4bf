import { runAtOnce } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/statistics/random.ts";
import { estimateRatingInterval } from "../../src/statistics/rating-interval.ts";
import { ratingModels } from "./simulated-ratings.ts";

const estimate = (...[ratings, seed, draws]: Parameters<typeof estimateRatingInterval>) =>
  runAtOnce(estimateRatingInterval(ratings, seed, draws));

describe("the interval of a run's mean rating", () => {
  test("needs two cases", () => {
    expect(estimate([], "run")).toBeNull();
    expect(estimate([7], "run")).toBeNull();
    expect(estimate([7, 8], "run")).toMatchObject({ level: 0.95, cases: 2 });
  });

  test("is Clopper and Pearson's when ratings are all or nothing", () => {
    // 8 of 10: 44.4 % to 97.5 %; 20 of 20: 83.2 % to 100 %.
    const some = estimate([10, 10, 10, 10, 10, 10, 10, 10, 0, 0], "run");
    expect(some?.low).toBeCloseTo(4.44, 0);
    expect(some?.high).toBeCloseTo(9.75, 0);
    const all = estimate(Array(20).fill(10), "run");
    expect(all?.low).toBeCloseTo(8.32, 0);
    expect(all?.high).toBe(10);
  });

  test("is the same for the same run, holds the mean and narrows with the cases", () => {
    const few = [7, 8, 9, 6, 7, 8];
    const many = Array.from({ length: 50 }, () => few).flat();
    const narrow = estimate(many, "run");
    const wide = estimate(few, "run");
    expect(estimate(few, "run")).toEqual(wide);
    for (const interval of [wide, narrow]) {
      expect(interval?.low).toBeLessThan(7.5);
      expect(interval?.high).toBeGreaterThan(7.5);
    }
    expect((narrow?.high ?? 0) - (narrow?.low ?? 0)).toBeLessThan(0.4);
  });

  test("pauses where there are many different ratings, so that others get their turn", () => {
    const ratings = Array.from({ length: 10_000 }, (_, index) => index / 1_000);
    expect([...estimateRatingInterval(ratings, "run", 50)]).toHaveLength(50);
  });

  test.for(ratingModels)(
    "holds the true mean in 95 % of runs, however ratings are spread: $name",
    { timeout: 60_000 },
    (model) => {
      const random = createRandom(model.name);
      const draw = () => model.drawCase(random)();
      const truth = Array.from({ length: 100_000 }, draw).reduce((sum, rating) => sum + rating, 0) / 100_000;
      for (const cases of [6, 20]) {
        let held = 0;
        for (let run = 0; run < 300; run += 1) {
          const interval = estimate(Array.from({ length: cases }, draw), String(run), 800);
          if (interval !== null && interval.low <= truth && truth <= interval.high) held += 1;
        }
        // 99 % of samples of 300 at 95 % lie above 92 %.
        expect(held / 300).toBeGreaterThan(0.92);
      }
    },
  );
});
