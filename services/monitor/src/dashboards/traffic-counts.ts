/**
 * What ran in a stretch of time. A run is a root trace that settled and is watched, by the time it began. It fails
 * operationally when its class is any but `healthy-response` (completions 9.3), and by a scorer when the newest word of
 * a live scorer of it is below its threshold. It is healthy when it fails in neither way; what patterns find is for
 * people to judge and fails nothing.
 */
export interface TrafficCounts {
  totalRuns: number;
  /** In either way; one that fails in both counts once. */
  failingRuns: number;
  operationalFailingRuns: number;
  scorerFailingRuns: number;
  /** Runs that called a tool, and those of them in which one failed. */
  toolRuns: number;
  toolFailingRuns: number;
  /** Of the traces' own times; null where none has one. */
  p95LatencyMs: number | null;
  /** Votes given in the stretch, on whatever trace. */
  votes: number;
  votesDown: number;
}

export const noTraffic: TrafficCounts = {
  totalRuns: 0,
  failingRuns: 0,
  operationalFailingRuns: 0,
  scorerFailingRuns: 0,
  toolRuns: 0,
  toolFailingRuns: 0,
  p95LatencyMs: null,
  votes: 0,
  votesDown: 0,
};

/** Shares between 0 and 1; null where there is nothing to take a share of. */
export function ratesOf(counts: TrafficCounts) {
  return {
    healthRate: shareOf(counts.totalRuns - counts.failingRuns, counts.totalRuns),
    failureRate: shareOf(counts.failingRuns, counts.totalRuns),
    downvoteRate: shareOf(counts.votesDown, counts.votes),
    toolFailureRate: shareOf(counts.toolFailingRuns, counts.toolRuns),
  };
}

export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
