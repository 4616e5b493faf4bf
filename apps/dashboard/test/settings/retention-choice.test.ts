import { expect, test } from "vitest";
import { cutoff, daysOfDraft, draftOfDays } from "../../src/settings/retention-choice.ts";

test("a stored retention is shown as the choice that it was, and sent back unchanged", () => {
  for (const days of [null, 0, 1, 30, 36_500]) expect(daysOfDraft(draftOfDays(days))).toBe(days);
});

test("days are whole, at least one, and at most a hundred years", () => {
  for (const days of ["", " ", "0", "-3", "1.5", "36501", "many"]) {
    expect(daysOfDraft({ kind: "days", days })).toBeUndefined();
  }
});

test("traces go that are older than the days, to the minute", () => {
  expect(cutoff(30, Date.parse("2026-03-31T10:20:59.999Z"))).toBe("2026-03-01T10:20:00.000Z");
});
