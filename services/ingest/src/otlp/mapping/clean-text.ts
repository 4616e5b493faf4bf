/**
 * Text for a text column: PostgreSQL accepts neither NUL nor a lone surrogate there, so both become U+FFFD (completions
 * 0.2). JSON texts do not pass through here; they keep their escapes.
 */
export function cleanText(text: string, charsMax = Number.POSITIVE_INFINITY): string {
  const cut = text.length > charsMax ? text.slice(0, charsMax) : text;
  return (cut.includes("\0") ? cut.replaceAll("\0", "\ufffd") : cut).toWellFormed();
}
