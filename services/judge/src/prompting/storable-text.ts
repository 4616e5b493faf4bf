/**
 * A text that a database can store and a page can show: PostgreSQL rejects NUL and lone surrogates, and a text longer than
 * `maxChars` (UTF-16 units) is visibly truncated.
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

/** A text on one line, with any kind of line break replaced, visibly truncated after `maxChars` UTF-16 units. */
export function onOneLine(text: string, maxChars: number): string {
  // Most of a long text is truncated anyway, and need not be searched.
  const whole = text.trim();
  const start = cutText(whole, maxChars * 4);
  const flat = start.replace(/[\s\u0085]+/gu, " ").trim();
  return flat.length <= maxChars && start.length === whole.length ? flat : `${cutText(flat, maxChars)}...`;
}
