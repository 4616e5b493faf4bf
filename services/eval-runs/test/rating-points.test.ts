import { expect, test } from "vitest";
import { composeRatingPoints, readWindow, stretchesOf } from "../src/graders/rating-points.ts";

const now = Date.parse("2026-03-01T10:20:30.400Z");

test("a window is whole hours or days in UTC, with the current one last", () => {
  expect(stretchesOf("24h", now)).toEqual({ stretch: "hour", since: new Date("2026-02-28T11:00:00Z") });
  expect(stretchesOf("7d", now)).toEqual({ stretch: "day", since: new Date("2026-02-23T00:00:00Z") });
  expect(stretchesOf("30d", now)).toEqual({ stretch: "day", since: new Date("2026-01-31T00:00:00Z") });
});

test("each stretch has a point, oldest first, with null where nothing was rated", () => {
  const bucket = { start: new Date("2026-02-28T00:00:00Z"), averageRating: 6.5, count: 2 };

  const points = composeRatingPoints("7d", now, [bucket]);

  expect(points.map(({ label }) => label)).toEqual([
    "2026-02-23",
    "2026-02-24",
    "2026-02-25",
    "2026-02-26",
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
  ]);
  expect(points[5]).toEqual({ label: "2026-02-28", ts: "2026-02-28T00:00:00.000Z", averageRating: 6.5, count: 2 });
  expect(points[6]).toMatchObject({ averageRating: null, count: 0 });
  expect(composeRatingPoints("24h", now, []).map(({ label }) => label)).toEqual(
    Array.from({ length: 24 }, (_, index) => `${String((index + 11) % 24).padStart(2, "0")}:00`),
  );
});

test.each([
  ["24h", "24h"],
  ["30d", "30d"],
  ["1h", "7d"],
  [undefined, "7d"],
  [["24h", "24h"], "7d"],
])("the window %j reads as %s", (asked, window) => {
  expect(readWindow(asked)).toBe(window);
});
