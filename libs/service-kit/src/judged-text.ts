/** completions 7.2: the limit of the retrieval context for a judge. */
const contextMaxChars = 12_000;

/**
 * The retrieval context as one text: a list becomes `[chunk N] text` blocks (`[retrieval N]` when the source is spans), separated
 * by blank lines, visibly cut after 12,000 characters. Null when it is empty.
 */
export function renderContext(
  context: string | readonly string[] | null,
  source: "metadata" | "spans" = "metadata",
): string | null {
  if (context === null) return null;
  const label = source === "spans" ? "retrieval" : "chunk";
  const text =
    typeof context === "string"
      ? context
      : context.map((chunk, index) => `[${label} ${index + 1}] ${chunk}`).join("\n\n");
  return text.trim() === "" ? null : cutVisibly(text, contextMaxChars);
}

/** A text of which at most `charsMax` UTF-16 units are kept. A cut is marked, so that a judge sees that there was more. */
export function cutVisibly(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${cutText(text, charsMax)}... [cut after ${charsMax} characters]`;
}

/** At most the first `charsMax` UTF-16 units of a text, without half a surrogate pair at the end. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const isHalfPair = /[\ud800-\udbff]/.test(text.charAt(charsMax - 1));
  return text.slice(0, isHalfPair ? charsMax - 1 : charsMax);
}
