import { performance } from "node:perf_hooks";

/** How long the event loop of the installation was blocked, by its own metrics. */
export interface LoopWatch {
  /** The longest time since then, in ms; null where the installation does not measure it. */
  longestSince(sentMs: number): number | null;
}

interface Reading {
  /** How many times something was observed, and their sum in seconds. */
  count: number;
  sum: number;
  /** How many were at most so long, by that length in seconds. */
  upTo: Map<number, number>;
}

const everyMs = 1_000;
const name = "service_event_loop_stall_seconds";

/** Starts to read the metrics once a second, as often as the installation adds to them; it ends with the process. */
export function startLoopWatch(url: string, token: string): LoopWatch {
  const stalls: { atMs: number; longestMs: number }[] = [];
  let last: Reading | null = null;
  let isReading = false;

  setInterval(async () => {
    if (isReading) return;
    isReading = true;
    try {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const reading = readStalls(await answer.text());
      if (last !== null && reading !== null && reading.count > last.count) {
        stalls.push({ atMs: performance.now(), longestMs: longestBetween(last, reading) * 1_000 });
      }
      last = reading;
    } catch {
      // It is down, which the probe shows. Its counters start at zero when it is back.
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

/** Adds up the histogram over the processes that have one; null where there is none. */
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
 * The longest time that was added in between, in seconds. Of one that was added alone it is exact; of several, no longer than
 * their sum and than the bucket that the longest of them is in.
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
