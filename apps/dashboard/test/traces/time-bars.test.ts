import { expect, test } from "vitest";
import { barsPath, bucketsBetween, timeOfBuckets } from "../../src/traces/time-bars.ts";

const start = (hour: number): string => `2026-11-23T${String(hour).padStart(2, "0")}:00:00.000Z`;
const histogram = {
  from: "2026-11-23T08:20:00.000Z",
  to: "2026-11-23T11:40:00.000Z",
  bucketMs: 3_600_000,
  buckets: [8, 9, 10, 11].map((hour) => ({ start: start(hour), count: hour, errors: 0 })),
};
const time = (one: number, other: number, until?: string) =>
  timeOfBuckets(histogram, bucketsBetween(histogram, one, other), until);

test("a drag in either direction chooses whole buckets", () => {
  expect(time(1, 2)).toEqual({ from: start(9), to: start(11) });
  expect(time(2, 1)).toEqual({ from: start(9), to: start(11) });
});

test("a chosen time does not begin before what the list shows", () => {
  expect(time(0, 0)).toEqual({ from: histogram.from, to: start(9) });
});

test("a time up to the end keeps the end that the filter has, so that new traces are still followed", () => {
  expect(time(3, 1)).toEqual({ from: start(9), to: undefined });
  expect(time(1, 3, histogram.to)).toEqual({ from: start(9), to: histogram.to });
});

test("bars are as high as their share, and seen when they are not 0", () => {
  expect(barsPath([0, 10, 1], 1_000, 32)).toBe("M1.1 32v-2h.8v2zM2.1 32v-2h.8v2z");
  expect(barsPath([5, 10], 10, 32)).toBe("M0.1 32v-16h.8v16zM1.1 32v-32h.8v32z");
});
