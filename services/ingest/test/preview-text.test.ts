import { describe, expect, test } from "vitest";
import { emptyBody, encodePlainBody, readMemberStart } from "../src/model/span-body.ts";
import { previewText } from "../src/traces/preview-text.ts";

describe("the preview of a recorded value", () => {
  test.each([
    ["a text", '"How is the weather?"', "How is the weather?"],
    ["nothing", "null", null],
    ["a number", "7", "7"],
    ["other JSON", '{"order": 7}', '{"order": 7}'],
    ["messages", '[{"role":"system","content":"Be kind"},{"role":"user","content":"Hello?"}]', "Hello?"],
    ["content parts", '{"messages":[{"role":"user","content":[{"type":"text","text":"Hello?"}]}]}', "Hello?"],
  ])("of %s", (_, json, text) => {
    expect(previewText(json, true)).toBe(text);
  });

  test("is at most 300 characters and never half of one", () => {
    expect(previewText(JSON.stringify("x".repeat(5_000)), true)).toHaveLength(300);
    expect(previewText(JSON.stringify(`${"x".repeat(299)}😀`), true)).toBe("x".repeat(299));
  });

  test("of a text that is cut off anywhere is its beginning", () => {
    const text = 'a "quoted" \\ \n ü 😀 \u0001'.repeat(4);
    const escaped = JSON.stringify(text).replace("ü", "\\u00fc").replace("😀", "\\ud83d\\ude00");
    for (let length = 1; length < escaped.length - 1; length += 1) {
      const read = previewText(escaped.slice(0, length), false) as string;
      expect(text.startsWith(read.replace(/[\uD800-\uDBFF]$/, ""))).toBe(true);
      expect(read.length).toBeGreaterThanOrEqual(Math.min(300, (length - 12) / 6));
    }
  });
});

test("the start of a member is read without the rest", () => {
  const body = { ...emptyBody, input: '"short"', output: `"${"y".repeat(100)}"` };
  const text = encodePlainBody(body).subarray(1);
  expect(readMemberStart(text, "input", 20)).toEqual({ json: '"short"', isWhole: true });
  expect(readMemberStart(text, "output", 5)).toEqual({ json: '"yyyy', isWhole: false });
  expect(readMemberStart(text, "error", 5)).toBeNull();
});
