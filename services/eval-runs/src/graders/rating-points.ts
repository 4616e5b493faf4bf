import type { groupRatings } from "@touchstone/contracts";
import type { z } from "zod";
import type { RatingBucket } from "./group-store.ts";

export type RatingWindow = z.infer<typeof groupRatings>["window"];
type RatingPoint = z.infer<typeof groupRatings>["points"][number];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const windows: Record<RatingWindow, { stretch: "hour" | "day"; stretchMs: number; points: number }> = {
  "24h": { stretch: "hour", stretchMs: hourMs, points: 24 },
  "7d": { stretch: "day", stretchMs: dayMs, points: 7 },
  "30d": { stretch: "day", stretchMs: dayMs, points: 30 },
};

/** Any value but the three windows reads as 7d (completions 9.5). */
export function readWindow(value: unknown): RatingWindow {
  return value === "24h" || value === "30d" ? value : "7d";
}

/** The buckets of a window: whole hours or days in UTC. The last one contains `now`. */
export function stretchesOf(window: RatingWindow, now: number): { stretch: "hour" | "day"; since: Date } {
  const { stretch, stretchMs, points } = windows[window];
  return { stretch, since: new Date(Math.floor(now / stretchMs) * stretchMs - (points - 1) * stretchMs) };
}

/** A point for each bucket of the window, oldest first, including empty ones. */
export function composeRatingPoints(
  window: RatingWindow,
  now: number,
  buckets: readonly RatingBucket[],
): RatingPoint[] {
  const { stretchMs, points, stretch } = windows[window];
  const since = stretchesOf(window, now).since.getTime();
  const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
  return Array.from({ length: points }, (_, index) => {
    const start = since + index * stretchMs;
    const ts = new Date(start).toISOString();
    const bucket = byStart.get(start);
    return {
      label: stretch === "hour" ? ts.slice(11, 16) : ts.slice(0, 10),
      ts,
      averageRating: bucket?.averageRating ?? null,
      count: bucket?.count ?? 0,
    };
  });
}
