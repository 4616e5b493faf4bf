import { limits } from "@touchstone/contracts";

/**
 * A text that PostgreSQL and an index accept. REST refuses a text that this would change; on OTLP, where nothing is
 * refused, NUL and lone surrogates become U+FFFD and the rest is truncated.
 */
export function storableText(text: string, charsMax: number = limits.indexedTextMaxChars): string {
  const cut = text.length > charsMax ? text.slice(0, charsMax) : text;
  const wellFormed = cut.isWellFormed() ? cut : cut.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\ufffd") : wellFormed;
}
