import { cutText } from "./storable-text.ts";

/** A text on one line, whatever kind of line break it holds, and visibly cut after so many UTF-16 units. */
export function onOneLine(text: string, maxChars: number): string {
  // Most of a long text is cut away anyway, and is not worth searching.
  const flat = cutText(text, maxChars * 4)
    .replace(/[\s\u0085]+/gu, " ")
    .trim();
  return flat.length <= maxChars ? flat : `${cutText(flat, maxChars)}...`;
}
