import type { Window } from "./queries.ts";

const hourMs = 3_600_000;
const lengths: Record<Window, number> = { "24h": 24 * hourMs, "7d": 7 * 24 * hourMs, "30d": 30 * 24 * hourMs };

/**
 * The start of the first bucket of a window, as the server computes it: whole hours for 24 hours, else whole days, in UTC. Links
 * from a figure to its rows contain it.
 */
export function windowStart(window: Window, now = Date.now()): string {
  const stretch = window === "24h" ? hourMs : 24 * hourMs;
  const last = Math.floor(now / stretch) * stretch;
  return new Date(last + stretch - lengths[window]).toISOString();
}
