/**
 * A text that a database takes and a page can show: PostgreSQL takes neither NUL nor half a surrogate pair, and what is
 * longer than `maxChars` (UTF-16 units) is cut, visibly.
 */
export function makeStorable(text: string, maxChars: number): string {
  const whole = text.replaceAll("\0", "\uFFFD").toWellFormed();
  if (whole.length <= maxChars) return whole;
  return `${cutText(whole, maxChars)}... [cut after ${maxChars} characters]`;
}

/** At most the first `maxChars` UTF-16 units of a text, without half a surrogate pair at the end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isHalfPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  return text.slice(0, isHalfPair ? maxChars - 1 : maxChars);
}

/** A text on one line, whatever kind of line break it holds, and visibly cut after so many UTF-16 units. */
export function onOneLine(text: string, maxChars: number): string {
  // Most of a long text is cut away anyway, and is not worth searching.
  const flat = cutText(text, maxChars * 4)
    .replace(/[\s\u0085]+/gu, " ")
    .trim();
  return flat.length <= maxChars ? flat : `${cutText(flat, maxChars)}...`;
}
