/** Text that PostgreSQL can hold, cut. */
export const storable = (text: string, maxChars: number): string =>
  text.slice(0, maxChars).toWellFormed().replaceAll("\0", "\uFFFD");
