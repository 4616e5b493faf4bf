/** A period in epoch milliseconds, divided into buckets of one width. */
export interface HistogramRange {
  fromMs: number;
  /** Exclusive. */
  toMs: number;
  bucketMs: number;
}

const bucketsMax = 60;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const roundWidths = [
  ...[1, 5, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * dayMs),
];

/** Buckets of days and weeks begin on a Monday in UTC. */
const mondayMs = 4 * dayMs;

/** The narrowest round buckets of which about 60 cover the period. */
export function histogramRange(fromMs: number, toMs: number): HistogramRange {
  const least = (toMs - fromMs) / bucketsMax;
  const yearMs = 364 * dayMs;
  const bucketMs = roundWidths.find((width) => width >= least) ?? Math.ceil(least / yearMs) * yearMs;
  return { fromMs, toMs, bucketMs };
}

/** The start of each bucket, oldest first; the first may be before the period. */
export function bucketStarts({ fromMs, toMs, bucketMs }: HistogramRange): number[] {
  const first = Math.floor((fromMs - mondayMs) / bucketMs) * bucketMs + mondayMs;
  return Array.from(
    { length: Math.max(0, Math.ceil((toMs - first) / bucketMs)) },
    (_, index) => first + index * bucketMs,
  );
}
