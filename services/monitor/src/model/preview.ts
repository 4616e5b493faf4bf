const previewChars = 500;

/** The first characters of a text as signals show it: what PostgreSQL takes; null for nothing. */
export function previewOf(text: string | null): string | null {
  if (text === null || text.trim() === "") return null;
  return text.slice(0, previewChars).replaceAll("\0", "\uFFFD").toWellFormed();
}
