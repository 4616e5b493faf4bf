import { expect, test } from "vitest";
import { differenceDomain, explainPaired, formatP, type Paired, verdictOf } from "../../src/blocks/paired-words.ts";

const paired: Paired = {
  outcome: "undecided",
  cases: 12,
  difference: -0.4,
  interval: { level: 0.95, low: -1.2, high: 0.4 },
  pValue: 0.2,
  minEffect: 0.5,
  moreCases: 30,
};

test("a verdict is a word and a sign", () => {
  expect(verdictOf({ outcome: "regressed" })).toMatchObject({ sign: "▼", word: "Regressed" });
  expect(verdictOf(paired)).toMatchObject({ sign: "◇", word: "Cannot tell" });
});

test("an undecided comparison says how many more cases would decide", () => {
  expect(explainPaired(paired)).toBe(
    "The 95% interval, -1.20 to +0.40, allows a difference of 0.5 and none. About 30 more cases would decide.",
  );
});

test("too few cases say so, and no number is made up", () => {
  expect(explainPaired({ ...paired, cases: 1, interval: null, difference: null, pValue: null, moreCases: null })).toBe(
    "1 case is rated in both runs. Fewer than 6 can show nothing.",
  );
});

test("p is exact down to a thousandth", () => {
  expect([formatP(0.0123), formatP(0.0004), formatP(null)]).toEqual(["p 0.012", "p < 0.001", "p -"]);
});

test("the axis holds the interval and lies around 0", () => {
  const [low, high] = differenceDomain(paired);
  expect(low).toBeLessThan(-1.2);
  expect(low).toBe(-high);
});
