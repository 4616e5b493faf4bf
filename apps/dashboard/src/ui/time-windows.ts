const hourMs = 3_600_000;

/** Windows that end now, by their name in the URL. */
export const windows: Readonly<Record<string, { label: string; lengthMs: number }>> = {
  "1h": { label: "Last hour", lengthMs: hourMs },
  "24h": { label: "Last 24 hours", lengthMs: 24 * hourMs },
  "7d": { label: "Last 7 days", lengthMs: 7 * 24 * hourMs },
  "30d": { label: "Last 30 days", lengthMs: 30 * 24 * hourMs },
};

/** The windows, as menus offer them. */
export const windowOptions = Object.entries(windows).map(([value, { label }]) => ({ value, label }));

/** The time for `from` or `to` of a URL. A window begins at a whole minute, so that requests within a minute are equal. */
export function momentOf(word: string, now = Date.now()): string {
  const window = windows[word];
  if (window === undefined) return word;
  return new Date(Math.floor(now / 60_000) * 60_000 - window.lengthMs).toISOString();
}
