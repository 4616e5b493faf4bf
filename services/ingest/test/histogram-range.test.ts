import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketStarts, histogramRange } from "../src/traces/histogram-range.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  ["a minute", minute, 1_000],
  ["an hour", hour, minute],
  ["two hours", 2 * hour, 2 * minute],
  ["a day", day, 30 * minute],
  ["a week", 7 * day, 3 * hour],
  ["a month", 30 * day, 12 * hour],
  ["a year", 365 * day, 7 * day],
])("%s is cut into round buckets", (_name, length, width) => {
  const from = Date.parse("2026-11-23T10:00:00Z");
  expect(histogramRange(from, from + length).bucketMs).toBe(width);
});

test("weeks begin with a Monday, days at midnight UTC", () => {
  const from = Date.parse("2026-01-01T05:00:00Z");
  const weeks = bucketStarts({ fromMs: from, toMs: from + 365 * day, bucketMs: 7 * day });
  expect(new Date(weeks[0] ?? 0).toISOString()).toBe("2025-12-29T00:00:00.000Z");
  const days = bucketStarts({ fromMs: from, toMs: from + 2 * day, bucketMs: day });
  expect(days.map((start) => new Date(start).toISOString().slice(0, 13))).toEqual([
    "2026-01-01T00",
    "2026-01-02T00",
    "2026-01-03T00",
  ]);
});

test("any stretch is covered by at most 61 buckets without a gap", () => {
  const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(instant, instant, (fromMs, toMs) => {
      const range = histogramRange(fromMs, toMs);
      const starts = bucketStarts(range);
      expect(starts.length).toBeLessThanOrEqual(61);
      if (toMs <= fromMs) return;
      expect(starts[0]).toBeLessThanOrEqual(fromMs);
      expect(starts[0]).toBeGreaterThan(fromMs - range.bucketMs);
      expect(starts.at(-1)).toBeLessThan(toMs);
      expect((starts.at(-1) ?? 0) + range.bucketMs).toBeGreaterThanOrEqual(toMs);
    }),
  );
});
