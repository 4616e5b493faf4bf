import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIsoTime } from "../src/iso-time.ts";

test("all formats that JavaScript prints are parsed", () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(parseIsoTime(date.toISOString())).toBe(date.getTime());
    }),
  );
});

test.each([
  ["2026-11-21", Date.UTC(2026, 10, 21)],
  ["2026-11-21T10:20", Date.UTC(2026, 10, 21, 10, 20)],
  ["2026-11-21T10:20:30", Date.UTC(2026, 10, 21, 10, 20, 30)],
  ["2026-11-21 10:20:30.5Z", Date.UTC(2026, 10, 21, 10, 20, 30, 500)],
  ["2026-11-21T10:20:30.123456+02:00", Date.UTC(2026, 10, 21, 8, 20, 30) + 123.456],
  ["2026-11-21T10:20:30-0530", Date.UTC(2026, 10, 21, 15, 50, 30)],
  ["2026-11-21T24:00:00Z", Date.UTC(2026, 10, 22)],
  ["0001-01-01T00:00:00Z", new Date("0001-01-01T00:00:00Z").getTime()],
])("%s is read as UTC without a zone", (text, expected) => {
  expect(parseIsoTime(text)).toBeCloseTo(expected, 6);
});

test.each([
  "",
  "now",
  "2026",
  "2026-02-30",
  "2026-13-01",
  "2026-11-21T25:00:00Z",
  "2026-11-21T10:60:00Z",
  "2026-11-21T10:20:30+24:00",
  "Sat, 21 Nov 2026 10:20:30 GMT",
  "1732184430",
])("%s is no ISO 8601 time", (text) => {
  expect(parseIsoTime(text)).toBeNull();
});
