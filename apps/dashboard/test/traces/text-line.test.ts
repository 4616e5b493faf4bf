import { expect, test } from "vitest";
import { textLine } from "../../src/traces/text-line.ts";

test.each([
  ["a text", "  two\n lines ", "two lines"],
  ["nothing", null, null],
  ["no member", undefined, null],
  ["an empty text", " ", null],
  [
    "messages",
    [
      { role: "system", content: "Be kind" },
      { role: "user", content: "Hello?" },
    ],
    "Hello?",
  ],
  ["messages in an object", { messages: [{ role: "user", content: [{ type: "text", text: "Hello?" }] }] }, "Hello?"],
  ["other JSON", { order: 7 }, '{"order":7}'],
  ["a number", 0, "0"],
])("%s becomes one line", (_, value, line) => {
  expect(textLine(value)).toBe(line);
});

test("a long text is cut before it is looked at", () => {
  expect(textLine("x".repeat(9_000_000))).toHaveLength(400);
});
