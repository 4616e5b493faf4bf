/** completions 7.2: what a judge reads of the retrieval context. */
const contextMaxChars = 12_000;

/**
 * The retrieval context as one text: a list becomes `[chunk N] text` blocks (`[retrieval N]` for what spans retrieved),
 * separated by blank lines; longer than 12,000 characters is cut. Null when there is nothing to read.
 */
export function renderContext(
  context: string | readonly string[] | null,
  label: "chunk" | "retrieval" = "chunk",
): string | null {
  if (context === null) return null;
  const text = typeof context === "string" ? context : renderChunks(context, label);
  if (text.trim() === "") return null;
  const cut = text.slice(0, contextMaxChars);
  // A pair of surrogates is one character: half of it at the end would be none.
  return text.length > cut.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function renderChunks(chunks: readonly string[], label: string): string {
  return chunks.map((chunk, index) => `[${label} ${index + 1}] ${chunk}`).join("\n\n");
}
