import { expect, test } from "vitest";
import {
  formatAge,
  formatBytes,
  formatCost,
  formatCount,
  formatDelta,
  formatDuration,
  formatRating,
  formatShare,
  formatTime,
} from "../src/ui/format.ts";

test("what nobody knows is a dash, never a zero", () => {
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

test("a difference always carries its sign, and one that rounds to nothing has none", () => {
  expect([formatDelta(4.2), formatDelta(-0.4), formatDelta(0.01)]).toEqual(["+4.2", "-0.4", "0"]);
});

test("a clock that runs ahead of ours shows now, not a negative age", () => {
  expect(formatAge("2026-01-01T00:01:00Z", Date.parse("2026-01-01T00:00:00Z"))).toBe("now");
});
