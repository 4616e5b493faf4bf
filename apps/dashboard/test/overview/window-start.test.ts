import { expect, test } from "vitest";
import { windowStart } from "../../src/overview/window-start.ts";

const now = Date.parse("2026-03-10T14:25:00Z");

test("a day is 24 whole hours of which the present one is the last", () => {
  expect(windowStart("24h", now)).toBe("2026-03-09T15:00:00.000Z");
});

test("longer windows are whole days in UTC of which today is the last", () => {
  expect(windowStart("7d", now)).toBe("2026-03-04T00:00:00.000Z");
  expect(windowStart("30d", now)).toBe("2026-02-09T00:00:00.000Z");
});
