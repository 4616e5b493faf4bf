import { expect, test } from "vitest";
import { composeAlertRule } from "../src/alerts/alert-rule.ts";
import { tryRule } from "../src/alerts/try-rule.ts";

const until = new Date("2026-11-23T12:00:00Z");
const oldest = new Date("2026-11-23T08:30:00Z");
const rule = composeAlertRule(
  { name: "Checkout", metric: "errorCount", comparison: "above", threshold: 2, windowMinutes: 60 },
  null,
);
const windows = [
  { place: 0, value: 3, samples: 9 },
  { place: 3, value: 5, samples: 9 },
];

test("windows in which nothing happened are measured, too", () => {
  expect(tryRule(rule, { until, oldest, windows, isCut: false })).toMatchObject({
    since: oldest.toISOString(),
    windows: 4,
    undecided: 0,
    crossed: 2,
    alerts: [{ at: "2026-11-23T12:00:00.000Z" }, { at: "2026-11-23T09:00:00.000Z" }],
  });
});

test("of a window that was read in part nothing is said", () => {
  expect(tryRule(rule, { until, oldest, windows, isCut: true })).toMatchObject({
    since: "2026-11-23T09:00:00.000Z",
    windows: 3,
    crossed: 1,
  });
});

test("a newest window that was read in part has no result either", () => {
  expect(tryRule(rule, { until, oldest, windows: windows.slice(0, 1), isCut: true })).toMatchObject({
    since: until.toISOString(),
    windows: 0,
    crossed: 0,
    newest: { value: null, samples: 0 },
  });
});

test("the newest twenty alerts are shown, and all are counted", () => {
  const all = Array.from({ length: 30 }, (_, place) => ({ place, value: 3, samples: 9 }));
  const { alertCount, alerts } = tryRule(rule, { until, oldest, windows: all, isCut: false });
  expect([alertCount, alerts.length, alerts[0]?.at]).toEqual([30, 20, until.toISOString()]);
});
