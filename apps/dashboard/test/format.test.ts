import { expect, test, vi } from "vitest";
import {
  formatAge,
  formatBytes,
  formatCompact,
  formatCost,
  formatCount,
  formatDelta,
  formatDiskSize,
  formatDuration,
  formatMoment,
  formatRating,
  formatShare,
  formatTime,
} from "../src/ui/format.ts";

test("an unknown value is a dash, never a zero", () => {
  const all = [
    formatAge,
    formatBytes,
    formatCost,
    formatCount,
    formatDelta,
    formatDuration,
    formatRating,
    formatShare,
    formatTime,
  ];
  for (const format of all) expect(format(null)).toBe("-");
  expect(formatCost(0)).toBe("$0");
  expect(formatDuration(0)).toBe("0 ms");
});

test.each([
  [0.3, "0.3 ms"],
  [412, "412 ms"],
  [1_240, "1.24 s"],
  [30_000, "30.0 s"],
  [125_000, "2 min 5 s"],
  [3_840_000, "1 h 4 min"],
  [-5, "-5 ms"],
])("a duration of %d ms reads %s", (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown);
});

test.each([
  [41.2, "$41.20"],
  [1234.5, "$1,235"],
  [0.061, "$0.061"],
  [0.004, "$0.004"],
  [0.00042, "$0.00042"],
])("a cost of %d dollars reads %s", (usd, shown) => {
  expect(formatCost(usd)).toBe(shown);
});

const english = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

test.each([0, 7, -7, 999, 1_000, 1_204_331, -45_678, 1_234.5, 0.25, 12_345_678_901])(
  "%d is grouped as in English",
  (value) => {
    expect(formatCount(value)).toBe(english.format(value));
  },
);

test.each([
  0, 4, 12.34, 999, 999.9, 1_000, 1_250, 99_940, 999_949, 999_950, 1_000_000, 2_345_678, 4.2e9, 7.1e12, -1_500,
])("%d is shortened as in English", (value) => {
  expect(formatCompact(value)).toBe(compact.format(value));
});

test.each([
  [0, " UTC"],
  [-60, " UTC+1"],
  [210, " UTC-3:30"],
])("a moment ends with its zone: of an offset of %d minutes%s", (minutes, shown) => {
  const offset = vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(minutes);
  expect(formatMoment("2026-11-24T12:04:11Z").replace(/^[-\d]+ [:\d]+/, "")).toBe(shown);
  offset.mockRestore();
});

test("a difference always carries its sign, and one that rounds to nothing has none", () => {
  expect([formatDelta(4.2), formatDelta(-0.4), formatDelta(0.01)]).toEqual(["+4.2", "-0.4", "0"]);
});

test("a clock that runs ahead of ours shows now, not a negative age", () => {
  expect(formatAge("2026-01-01T00:01:00Z", Date.parse("2026-01-01T00:00:00Z"))).toBe("now");
});

test("sizes on disks are in powers of 1000", () => {
  expect([0, 4e5, 9.44e6, 941e6, 9.996e8, 2e12, 3.2e15].map(formatDiskSize)).toEqual([
    "0 MB",
    "0.4 MB",
    "9.4 MB",
    "941 MB",
    "1 GB",
    "2 TB",
    "3200 TB",
  ]);
  expect(formatDiskSize(null)).toBe("-");
});
