/**
 * Text as search compares it, on both sides: lower-cased, with one small sigma (the final one is chosen by what follows,
 * which a search term lacks) and without what PostgreSQL's text cannot hold.
 */
export function foldCase(text: string): string {
  return text.toWellFormed().toLowerCase().replaceAll("ς", "σ").replaceAll("\0", "");
}
