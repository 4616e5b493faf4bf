import type { JsonText } from "./span.ts";

/** A recorded value as text: a string as it is, other JSON as its JSON text, null when absent (completions 2.8). */
export function readRecordedText(json: JsonText | null): string | null {
  if (json === null || json === "null") return null;
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The beginning of a text, at most `charsMax` UTF-16 units, never ending in half a character. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax);
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
  return whole.length <= copiedMaxChars ? copyText(whole) : whole;
}

/** Copying as much takes less than a millisecond. */
const copiedMaxChars = 64 * 1024;

/** A text that no longer shares the memory of the text of which it is a part, and which it would keep from being freed. */
export function copyText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
