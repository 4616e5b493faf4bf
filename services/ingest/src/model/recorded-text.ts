import type { JsonText } from "./span.ts";

/** How long a UTF-16 unit of a string is in JSON: usual texts have one escape or none between two characters; the longest. */
const unitChars = [2, 6];

/**
 * The beginning of a recorded value as text, cut as by {@link cutText}: a string as it is, other JSON as its JSON text,
 * null when absent (completions 2.8). Of a longer string, little more is decoded.
 */
export function readRecordedText(json: JsonText | null, charsMax: number): string | null {
  if (json === null || json === "null") return null;
  if (!json.startsWith('"')) return cutText(json, charsMax);
  for (const chars of unitChars) {
    const read = 1 + chars * (charsMax + 1);
    if (json.length <= read) break;
    const text = readStringStart(json.slice(0, read));
    if (text.length > charsMax) return cutText(text, charsMax);
  }
  return cutText(JSON.parse(json) as string, charsMax);
}

/** The text of a JSON string whose end is missing, perhaps in the middle of an escape. */
export function readStringStart(json: string): string {
  return JSON.parse(`${json.slice(0, wholeEscapesEnd(json))}"`) as string;
}

/** Where the last escape of a JSON string begins if its end is missing, otherwise the end. */
function wholeEscapesEnd(json: string): number {
  const last = json.lastIndexOf("\\");
  let first = last;
  while (json[first - 1] === "\\") first -= 1;
  // In a run of backslashes, each second one is escaped.
  const isEscaped = (last - first) % 2 === 1;
  const end = last + (json[last + 1] === "u" ? 6 : 2);
  return last === -1 || isEscaped || end <= json.length ? json.length : last;
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
