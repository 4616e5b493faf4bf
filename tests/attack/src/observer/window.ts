import type { ProbedRequest } from "./probe.ts";

/** How the probe was served in a stretch of time. */
export interface ProbeFigures {
  requests: number;
  /** While the attack went on. */
  p50Ms: number;
  p99Ms: number;
  /** Until everything was quiet again, like all that follows. */
  worstMs: number;
  /** 5xx. */
  failed: number;
  /** Any other status that is not 2xx. */
  refused: number;
  /** No whole answer. */
  unanswered: number;
  /** One line for each kind of answer that was not good. */
  notGood: string[];
}

const linesMax = 8;

/** Sums up the requests since a window began; `endedMs` is when the attack was over. */
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

/** The smallest value that so large a part of the sorted values does not exceed; 0 of none. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
