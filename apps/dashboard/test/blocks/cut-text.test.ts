import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "../../src/blocks/cut-text.ts";

test("a text that is hardly longer than its room is left whole", () => {
  const text = "word ".repeat(320).trim();
  expect(cutText(text, 1_500)).toBe(text);
});

test("a long text is cut at the end of a word", () => {
  const cut = cutText("word ".repeat(2_000), 1_503);
  expect(cut.endsWith("word")).toBe(true);
  expect(cut.length).toBeGreaterThan(1_400);
});

test("many short lines fill the room, too", () => {
  const cut = cutText("x\n".repeat(5_000), 1_500);
  expect(cut.split("\n").length).toBeLessThan(30);
});

test("what is kept is the beginning, whatever the text is", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000 }), fc.integer({ min: 1, max: 2_000 }), (text, most) => {
      expect(text.startsWith(cutText(text, most))).toBe(true);
    }),
  );
});

test("a character of two halves is never cut in two", () => {
  const cut = cutText("😀".repeat(2_000), 501);
  expect(cut.isWellFormed()).toBe(true);
});
