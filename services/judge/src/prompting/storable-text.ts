import { cutText, cutVisibly } from "@touchstone/service-kit";

/**
 * A text that a database can store and a page can show: PostgreSQL rejects NUL and lone surrogates, and a text longer than
 * `maxChars` (UTF-16 units) is visibly truncated.
 */
export function makeStorable(text: string, maxChars: number): string {
  return cutVisibly(text.replaceAll("\0", "\uFFFD").toWellFormed(), maxChars);
}

/** A text on one line, with any kind of line break replaced, visibly truncated after `maxChars` UTF-16 units. */
export function onOneLine(text: string, maxChars: number): string {
  // Most of a long text is truncated anyway, and need not be searched.
  const whole = text.trim();
  const start = cutText(whole, maxChars * 4);
  const flat = start.replace(/[\s\u0085]+/gu, " ").trim();
  return flat.length <= maxChars && start.length === whole.length ? flat : `${cutText(flat, maxChars)}...`;
}
