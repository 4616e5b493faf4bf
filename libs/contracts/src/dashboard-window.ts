import type { z } from "zod";
import type { liveRatings } from "./http/online-evaluators.ts";

/** What a dashboard looks back on. */
export type DashboardWindow = z.infer<typeof liveRatings>["window"];

const hourMs = 3_600_000;
const windows: Record<DashboardWindow, { stretch: "hour" | "day"; stretchMs: number; points: number }> = {
  "24h": { stretch: "hour", stretchMs: hourMs, points: 24 },
  "7d": { stretch: "day", stretchMs: 24 * hourMs, points: 7 },
  "30d": { stretch: "day", stretchMs: 24 * hourMs, points: 30 },
};

/** The window of a query; anything but the three reads as 7d (completions 9.5). */
export function readDashboardWindow(value: unknown): DashboardWindow {
  return value === "24h" || value === "30d" ? value : "7d";
}

/** The stretches a window shows: whole hours or days in UTC, the one that `now` is in being the last; `until` is its end. */
export function stretchesOf(
  window: DashboardWindow,
  now: number,
): { stretch: "hour" | "day"; since: Date; until: Date } {
  const { stretch, stretchMs, points } = windows[window];
  const last = Math.floor(now / stretchMs) * stretchMs;
  return { stretch, since: new Date(last - (points - 1) * stretchMs), until: new Date(last + stretchMs) };
}

/** How long a window is, in milliseconds. */
export const lengthOf = (window: DashboardWindow): number => windows[window].stretchMs * windows[window].points;

/** Each stretch of a window with its label, oldest first; `start` in epoch milliseconds. */
export function listStretches(window: DashboardWindow, now: number): { start: number; label: string; ts: string }[] {
  const { stretch, stretchMs, points } = windows[window];
  const { since } = stretchesOf(window, now);
  return Array.from({ length: points }, (_, index) => {
    const start = since.getTime() + index * stretchMs;
    const ts = new Date(start).toISOString();
    return { start, label: stretch === "hour" ? ts.slice(11, 16) : ts.slice(0, 10), ts };
  });
}
