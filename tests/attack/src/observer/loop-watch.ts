import { performance } from "node:perf_hooks";

/** How long the installation's event loop was blocked, from its own metrics. */
export interface LoopWatch {
  /** The longest block since then, in ms; null if the installation does not measure it. */
  longestSince(sentMs: number): number | null;
}

interface Reading {
  /** The number of observations and their sum in seconds. */
  count: number;
  sum: number;
  /** Cumulative counts, by upper bound in seconds. */
  upTo: Map<number, number>;
}

const everyMs = 1_000;
const name = "service_event_loop_stall_seconds";

/** Starts reading the metrics once a second, as often as the installation updates them; ends with the process. */
export function startLoopWatch({
  url,
  token,
  isPaused,
}: {
  url: string;
  token: string;
  isPaused: () => boolean;
}): LoopWatch {
  const stalls: { atMs: number; longestMs: number }[] = [];
  let last: Reading | null = null;
  let isReading = false;

  setInterval(async () => {
    if (isReading || isPaused()) return;
    isReading = true;
    try {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const reading = readStalls(await answer.text());
      if (last !== null && reading !== null && reading.count > last.count) {
        stalls.push({ atMs: performance.now(), longestMs: longestBetween(last, reading) * 1_000 });
      }
      last = reading;
    } catch {
      // It is down, which the probe reports. Its counters restart at zero.
      last = null;
    } finally {
      isReading = false;
    }
  }, everyMs);

  return {
    longestSince(sentMs) {
      if (last === null && stalls.length === 0) return null;
      return Math.max(0, ...stalls.filter(({ atMs }) => atMs >= sentMs).map(({ longestMs }) => longestMs));
    },
  };
}

/** The sum of the histograms of all processes; null if there is none. */
export function readStalls(metrics: string): Reading | null {
  const reading: Reading = { count: 0, sum: 0, upTo: new Map() };
  let isThere = false;
  for (const [, part, labels = "", value] of metrics.matchAll(sample)) {
    isThere = true;
    if (part === "count") reading.count += Number(value);
    if (part === "sum") reading.sum += Number(value);
    const length = /le="([^"]+)"/.exec(labels)?.[1];
    if (part !== "bucket" || length === undefined) continue;
    const seconds = length === "+Inf" ? Number.POSITIVE_INFINITY : Number(length);
    reading.upTo.set(seconds, (reading.upTo.get(seconds) ?? 0) + Number(value));
  }
  return isThere ? reading : null;
}

const sample = new RegExp(`^${name}_(bucket|sum|count)(\\{[^}]*\\})? (\\S+)$`, "gm");

/**
 * The longest observation between two reads, in seconds. It is exact for a single observation. For several it is an
 * upper bound: the smaller of their sum and the bound of the highest bucket.
 */
export function longestBetween(before: Reading, after: Reading): number {
  const added = after.count - before.count;
  const sum = after.sum - before.sum;
  if (added === 1) return sum;
  const bucket = [...after.upTo]
    .sort(([one], [other]) => one - other)
    .find(([length, count]) => count - (before.upTo.get(length) ?? 0) >= added)?.[0];
  return Math.min(sum, bucket ?? sum);
}
