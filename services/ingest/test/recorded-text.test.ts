import { expect, test } from "vitest";
import { cutText, readRecordedText } from "../src/model/recorded-text.ts";

test("the beginning of a recorded text is the same as that of the whole text, wherever it is cut", () => {
  const text = 'a "quoted" \\ \n ü 😀 \u0001 😀'.repeat(4);
  const plain = JSON.stringify(text);
  const escaped = plain.replaceAll("ü", "\\u00fc").replaceAll("😀", "\\ud83d\\ude00");
  const onlyEscapes = '"'.concat("\\ud83d\\ude00".repeat(30), '"');
  for (const json of [plain, escaped, onlyEscapes]) {
    const whole = JSON.parse(json) as string;
    for (let charsMax = 0; charsMax <= whole.length + 1; charsMax += 1) {
      expect(readRecordedText(json, charsMax)).toBe(cutText(whole, charsMax));
    }
    expect(readRecordedText(json, Number.POSITIVE_INFINITY)).toBe(whole);
  }
});

test("other recorded values are their JSON text, and nothing recorded is no text", () => {
  expect(readRecordedText('{"order": 7}', 6)).toBe('{"orde');
  expect(readRecordedText("7", 6)).toBe("7");
  expect(readRecordedText("null", 6)).toBeNull();
  expect(readRecordedText(null, 6)).toBeNull();
});
