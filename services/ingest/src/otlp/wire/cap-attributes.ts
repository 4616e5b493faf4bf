import { truncationMarker } from "../../model/span-body.ts";
import type { AttributeMap, AttributeValue, ReceivedSpan } from "./received-span.ts";

/** Bytes of attributes kept per span (otlp 2, What is invalid). */
export const attributeBytesMax = 4 * 1024 * 1024;

/** No value is cut shorter than this; the rest would be mostly marker. */
const cutBytesMin = 256;

/**
 * Cuts the largest values of a span until all of them fit together; returns true if any was cut. Small values are never
 * cut for a large one. A cut value becomes text that ends in {@link truncationMarker}.
 */
export function capAttributes(span: ReceivedSpan): boolean {
  if (span.wireBytes <= attributeBytesMax) return false;
  const maps = [span.attributes, ...span.events.map((e) => e.attributes), ...span.links.map((l) => l.attributes)];
  return capMaps(maps, attributeBytesMax);
}

/** The same for attribute maps that share one allowance. */
export function capMaps(maps: readonly AttributeMap[], bytesMax: number): boolean {
  const entries = maps.flatMap((map) => [...map].map(([key, value]) => ({ map, key, bytes: valueBytes(value) })));
  const keyBytes = entries.reduce((sum, { key }) => sum + Buffer.byteLength(key), 0);
  const total = entries.reduce((sum, { bytes }) => sum + bytes, keyBytes);
  if (total <= bytesMax) return false;

  const level = fairLevel(
    entries.map(({ bytes }) => bytes),
    bytesMax - keyBytes,
  );
  if (level >= cutBytesMin) {
    for (const { map, key, bytes } of entries) {
      if (bytes > level) map.set(key, cutValue(map.get(key) as AttributeValue, level));
    }
    return true;
  }
  // Too many to cut each of them: the first ones that fit are kept.
  let left = bytesMax;
  for (const { map, key, bytes } of entries) {
    left -= Buffer.byteLength(key) + bytes;
    if (left < 0) map.delete(key);
  }
  return true;
}

/** The size at which to cut: smaller values stay whole, and the others share the rest evenly. */
function fairLevel(sizes: number[], allowance: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = allowance;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return left;
}

function cutValue(value: AttributeValue, bytesMax: number): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const kept = Buffer.from(text).toString("utf8", 0, bytesMax - truncationMarker.length);
  return `${kept}${truncationMarker}`;
}

function valueBytes(value: AttributeValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return typeof value === "object" && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8;
}
