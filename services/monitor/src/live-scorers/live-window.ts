import { type DashboardWindow, listStretches, type liveRatings } from "@touchstone/contracts";
import type { z } from "zod";

type Point = z.infer<typeof liveRatings>["points"][number];

/** What was given in one stretch of time. */
export interface RatingBucket {
  start: Date;
  averageRating: number;
  count: number;
}

/** A point for each stretch, oldest first, also where nothing was rated. */
export function composePoints(window: DashboardWindow, now: number, buckets: readonly RatingBucket[]): Point[] {
  const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
  return listStretches(window, now).map(({ start, label, ts }) => {
    const { averageRating = null, count = 0 } = byStart.get(start) ?? {};
    return { label, ts, averageRating, count };
  });
}
