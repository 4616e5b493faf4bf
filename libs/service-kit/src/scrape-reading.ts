import type { Clock } from "./clock.ts";

/** A scrape must not wait for a slow database: a gateway gives a service a second for all its metrics. */
const waitMs = 500;
const freshMs = 10_000;

/**
 * Makes a function that reads for gauges: at most every ten seconds, and never twice at once. It answers null when the
 * reading fails or takes too long.
 */
export function createScrapeReading<Value>({
  clock,
  read,
}: {
  clock: Clock;
  read: () => Promise<Value>;
}): () => Promise<Value | null> {
  let last: { atMs: number; value: Promise<Value | null>; isDone: boolean } | null = null;

  function start(): Promise<Value | null> {
    const reading = { atMs: clock.now(), isDone: false, value: read().catch(() => null) };
    void reading.value.then(() => {
      reading.isDone = true;
    });
    last = reading;
    return reading.value;
  }

  return async () => {
    const isFresh = last !== null && Math.abs(clock.now() - last.atMs) < freshMs;
    const value = last !== null && (isFresh || !last.isDone) ? last.value : start();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), waitMs);
    });
    return Promise.race([value, late]).finally(() => clearTimeout(timer));
  };
}
