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
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
