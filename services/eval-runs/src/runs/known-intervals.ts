import { hash } from "node:crypto";
import { createBoundedCache, runInSlices } from "@touchstone/service-kit";
import { estimateRatingInterval, type RatingInterval } from "../statistics/rating-interval.ts";
import type { StoredRun } from "./run-store.ts";

/** Caches the intervals of ended runs: a list shows many, and is requested often. */
export interface KnownIntervals {
  estimate(
    projectId: string,
    run: Pick<StoredRun, "id" | "status">,
    caseRatings: readonly number[],
    signal: AbortSignal,
  ): Promise<RatingInterval | null>;
}

/** About ten thousand intervals. */
const keptCharsMax = 1024 * 1024;

export function createKnownIntervals(): KnownIntervals {
  const kept = createBoundedCache<RatingInterval | null>(keptCharsMax);
  return {
    async estimate(projectId, { id, status }, caseRatings, signal) {
      // Rescoring changes the ratings of an ended run.
      const ratings = hash("sha256", Buffer.from(Float64Array.from(caseRatings).buffer), "base64url");
      const key = `${projectId}/${id}/${ratings}`;
      const known = status === "in_progress" ? undefined : kept.get(key);
      if (known !== undefined) return known;
      const interval = await runInSlices(estimateRatingInterval(caseRatings, id), signal);
      if (status !== "in_progress") kept.set(key, interval, key.length);
      return interval;
    },
  };
}
