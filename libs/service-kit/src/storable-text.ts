import { limits } from "@touchstone/contracts";

/**
 * A text that PostgreSQL takes and an index holds. REST refuses what this would change; on OTLP, where nothing is
 * refused, NUL and lone surrogates become U+FFFD and the rest is cut.
 */
export function storableText(text: string, charsMax: number = limits.indexedTextMaxChars): string {
  const cut = text.length > charsMax ? text.slice(0, charsMax) : text;
  const wellFormed = cut.isWellFormed() ? cut : cut.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\ufffd") : wellFormed;
}
