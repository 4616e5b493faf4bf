import type { RunProgress } from "../results/result-store.ts";
import { computeLiveStatistics, countResults } from "../statistics/result-tally.ts";
import type { RunProgressEvent } from "./run-streams.ts";

/** A run's state as its stream tells it. */
export function showProgress(runId: string, { status, tallies }: RunProgress): RunProgressEvent {
  const liveStatistics = computeLiveStatistics(tallies);
  return {
    runId,
    status,
    resultCount: countResults(tallies),
    averageRating: liveStatistics.averageRating,
    liveStatistics,
  };
}
