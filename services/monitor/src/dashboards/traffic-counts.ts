/**
 * The runs in a time bucket. A run is a settled, watched root trace, by its start time. It fails operationally when its class
 * is any but `healthy-response` (completions 9.3), and by a scorer when the newest verdict of a live scorer is below its
 * threshold. It is healthy when it fails in neither way; matches of patterns are for people to review and fail nothing.
 */
export interface TrafficCounts {
  totalRuns: number;
  /** A run that fails in both ways counts once. */
  failingRuns: number;
  operationalFailingRuns: number;
  scorerFailingRuns: number;
  /** Runs that called a tool, and those in which a tool call failed. */
  toolRuns: number;
  toolFailingRuns: number;
  /** Over the traces' own times; null if none has one. */
  p95LatencyMs: number | null;
  /** Votes given in this time, on any trace. */
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

/** Shares between 0 and 1; null if the denominator is 0. */
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
