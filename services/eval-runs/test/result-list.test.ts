import fc from "fast-check";
import { expect, test } from "vitest";
import { countCases, listResults, resultOrders } from "../src/results/result-list.ts";
import type { OutlinedResult } from "../src/results/result-store.ts";

const everything = { status: null, questionIndex: null, resultId: null, ratingAbove: null, ratingMax: null };

const outline = fc
  .array(
    fc.record({
      questionIndex: fc.option(fc.integer({ min: 0, max: 5 })),
      isVariant: fc.boolean(),
      rating: fc.option(fc.integer({ min: 0, max: 10 })),
    }),
  )
  .map((results) =>
    results.map(
      (result, index): OutlinedResult => ({
        ...result,
        id: `id-${index}`,
        status: result.rating === null ? "skipped" : "scored",
      }),
    ),
  );

test("in every order each result is listed once, and the results of a case stand together", () => {
  fc.assert(
    fc.property(outline, fc.constantFrom(...resultOrders), (results, order) => {
      const listed = listResults(results, { filter: everything, order, baseline: new Map([[1, 5]]) });
      expect(new Set(listed.map(({ result }) => result.id))).toEqual(new Set(results.map(({ id }) => id)));
      const starts = listed.filter(({ ofCase }, index) => ofCase !== listed[index - 1]?.ofCase);
      expect(starts).toHaveLength(countCases(listed));
      expect(countCases(listed)).toBe(new Set(results.map(({ questionIndex, id }) => questionIndex ?? id)).size);
    }),
  );
});

test("the worst case is first, and unrated ones are last", () => {
  fc.assert(
    fc.property(outline, (results) => {
      const ratings = listResults(results, { filter: everything, order: "rating", baseline: new Map() }).map(
        ({ ofCase }) => ofCase.rating ?? Number.POSITIVE_INFINITY,
      );
      expect(ratings).toEqual(ratings.toSorted((one, other) => (one === other ? 0 : one - other)));
    }),
  );
});

test("a filter leaves out results, and changes nothing of what their case is said to be", () => {
  const result = (id: string, rating: number): OutlinedResult => ({
    id,
    questionIndex: 0,
    isVariant: false,
    status: "scored",
    rating,
  });
  const filter = { ...everything, ratingAbove: 2, ratingMax: 4 };
  const listed = listResults([result("a", 2), result("b", 4), result("c", 6)], {
    filter,
    order: "case",
    baseline: new Map(),
  });
  expect(listed).toMatchObject([
    { result: { id: "b" }, ofCase: { rating: 4, minRating: 2, maxRating: 6, results: 3 } },
  ]);
});
