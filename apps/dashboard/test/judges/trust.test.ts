import { expect, test } from "vitest";
import { type Agreement, countsOf, currentOf, labelsFor, trustOf, versionsOf } from "../../src/judges/trust.ts";

const helpful: Agreement = {
  scorerKey: "online-eval:1",
  scorerName: "Helpful",
  scorerVersion: 2,
  isGroup: false,
  pairs: 120,
  corrected: 0,
  withoutThreshold: 0,
  table: { bothFail: 30, onlyScorerFails: 14, onlyPersonFails: 16, bothPass: 60 },
  baseRate: 0.38,
  failRate: 0.37,
  rawAgreement: 0.75,
  kappa: 0.47,
  interval: { level: 0.95, low: 0.3, high: 0.62 },
};
const within = (low: number, high: number): Agreement => ({ ...helpful, interval: { level: 0.95, low, high } });

test("trust follows from the interval, not from kappa", () => {
  const headlines = [
    within(-0.5, -0.1),
    within(-0.03, 0.75),
    within(0.1, 0.5),
    within(0.3, 0.62),
    within(0.65, 0.9),
  ].map((agreement) => trustOf(agreement, 10).headline);
  expect(headlines).toEqual([
    "It contradicts people",
    "Not shown to be better than chance",
    "Better than chance, worse than a second person",
    "Better than chance; whether as good as a second person is open",
    "About as good as a second person",
  ]);
});

test("below the least number of labels it says how many are missing", () => {
  expect(trustOf(undefined, 10).advice).toMatch(/^10 more labels/);
  expect(trustOf({ ...helpful, pairs: 9, kappa: null, interval: null }, 10).advice).toMatch(/^1 more label /);
});

test("where one side always says the same, it says which and what to do", () => {
  const constant = { ...helpful, kappa: null, interval: null };
  const advice = [{ baseRate: 0 }, { baseRate: 1 }, { failRate: 0 }, { failRate: 1 }].map(
    (rates) => trustOf({ ...constant, ...rates }, 10).advice,
  );
  expect(advice[0]).toContain("none of these traces bad");
  expect(advice[1]).toContain("all of these traces bad");
  expect(advice[2]).toContain("failed none");
  expect(advice[3]).toContain("failed all");
});

test("what people can count on is so many of so many, and unknown where there is nothing to count", () => {
  expect(countsOf(helpful)).toEqual({
    rightAlarms: { count: 30, of: 44, share: 30 / 44 },
    found: { count: 30, of: 46, share: 30 / 46 },
    rightPasses: { count: 60, of: 76, share: 60 / 76 },
  });
  const table = { bothFail: 0, onlyScorerFails: 0, onlyPersonFails: 0, bothPass: 3 };
  expect(countsOf({ table })).toMatchObject({ rightAlarms: null, found: null });
});

test("how many labels more narrow the interval, rounded to what can be planned with", () => {
  expect(labelsFor(within(0.3, 0.62), 0.1)).toBe(200);
  expect(labelsFor(within(0.4, 0.5), 0.1)).toBe(0);
  expect(labelsFor({ ...helpful, interval: null }, 0.1)).toBeNull();
});

test("versions of one scorer come newest first", () => {
  const of = (scorerKey: string, scorerVersion: number | null) => ({ scorerKey, scorerVersion });
  const found = versionsOf([of("a", 1), of("b", 9), of("a", null), of("a", 2)], "a");
  expect(found.map(({ scorerVersion }) => scorerVersion)).toEqual([2, 1, null]);
});

test("the labels of an earlier version do not count for the current one; a group has the only entry there is", () => {
  const second = { scorerVersion: 2 };
  const first = { scorerVersion: 1 };
  const ofGroup = { scorerVersion: null };
  expect(currentOf([second, first], 2)).toBe(second);
  expect(currentOf([first], 2)).toBeUndefined();
  expect(currentOf([ofGroup], null)).toBe(ofGroup);
  expect(currentOf([], null)).toBeUndefined();
});
