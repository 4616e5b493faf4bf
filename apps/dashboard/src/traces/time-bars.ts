import type { components } from "../api/schema.gen.d.ts";

export type Histogram = components["schemas"]["TraceHistogram"];

/** Bars as one path in a box of one unit per value and `height`. A value above 0 is always visible. */
export function barsPath(values: readonly number[], most: number, height: number): string {
  return values
    .map((value, index) => {
      if (value === 0) return "";
      const size = Math.max(2, (value / most) * height);
      return `M${index + 0.1} ${height}v${-size}h.8v${size}z`;
    })
    .join("");
}

/** The buckets between two of them, in either order of selection. */
export function bucketsBetween({ buckets }: Histogram, one: number, other: number) {
  return buckets.slice(Math.min(one, other), Math.max(one, other) + 1);
}

/**
 * The period of some buckets within the requested period. The end is omitted if they reach the end of an open-ended list, so that
 * new traces still appear in it.
 */
export function timeOfBuckets(
  { from, bucketMs, buckets }: Histogram,
  chosen: Histogram["buckets"],
  until: string | undefined,
): { from: string; to: string | undefined } {
  const first = chosen[0]?.start ?? from;
  const last = chosen.at(-1);
  const isAtEnd = last === buckets.at(-1);
  return {
    from: Date.parse(first) < Date.parse(from) ? from : first,
    to: last === undefined || isAtEnd ? until : new Date(Date.parse(last.start) + bucketMs).toISOString(),
  };
}
