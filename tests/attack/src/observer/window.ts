import type { ProbedRequest } from "./probe.ts";

/** How the probe was served during a period. */
export interface ProbeFigures {
  requests: number;
  /** During the attack. */
  p50Ms: number;
  p99Ms: number;
  /** Until recovery, like all fields below. */
  worstMs: number;
  /** 5xx. */
  failed: number;
  /** Any other status except 2xx. */
  refused: number;
  /** No complete answer. */
  unanswered: number;
  /** One line for each kind of failure. */
  notGood: string[];
}

const linesMax = 8;

/** Sums up the requests since a window began; `endedMs` is the time at which the attack ended. */
export function summarise(requests: readonly ProbedRequest[], endedMs: number): ProbeFigures {
  const during = requests.filter(({ sentMs }) => sentMs <= endedMs).map(({ latencyMs }) => latencyMs);
  const sorted = during.sort((one, other) => one - other);
  const count = (outcome: string): number => requests.filter((request) => request.outcome === outcome).length;
  const notGood = requests.filter(({ outcome }) => outcome !== "good").map(({ what, said }) => `${what}: ${said}`);
  const lines = [...Map.groupBy(notGood, (line) => line)].map(([line, same]) => `${same.length} x ${line}`);
  return {
    requests: requests.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    worstMs: Math.max(0, ...requests.map(({ latencyMs }) => latencyMs)),
    failed: count("failed"),
    refused: count("refused"),
    unanswered: count("unanswered"),
    notGood: lines.slice(0, linesMax),
  };
}

/**
 * The quantile of sorted values: the smallest value that at least this share does not exceed; 0 if there are no values.
 */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
