import type { Sliced } from "@touchstone/service-kit";
import { bucketOf, bucketsMax, projectBucket } from "./text-buckets.ts";

/** The most numbers that one block covers. */
export const blockNumbersMax = 8192;

/** Which texts of a block are in each bucket that any of them is in. */
export interface Postings {
  /** Ascending. */
  buckets: Int32Array;
  /** Where the list of each bucket begins in `bytes`, counted from 0. */
  starts: Int32Array;
  lengths: Int32Array;
  bytes: Buffer;
}

/** Collects the texts of one block. */
export interface PostingsBuilder {
  /** Adds a text, in ascending order of its place in the block. A long text is slow; see `runInSlices`. */
  add(place: number, projectId: string, text: string): void;
  /** Encodes what was added. */
  encode(): Sliced<Postings>;
}

/** A list is a bitmap of the block's places or, where that is shorter, the distances between its places. */
const asDistances = 0;
const asBitmap = 1;
const bitmapBytes = blockNumbersMax / 8;
const firstCapacity = 1 << 20;
/** Entries encoded without a pause: about a tenth of a millisecond. */
const sliceEntries = 16_384;

export function createPostingsBuilder(): PostingsBuilder {
  /** The last text, counted from 1, that was found in each bucket. */
  const lastText = new Uint16Array(bucketsMax);
  const counts = new Uint32Array(bucketsMax);
  const places: number[] = [];
  /** Behind the last entry of each text. */
  const ends: number[] = [];
  /** The buckets of each text, one text after the other. */
  let entries = new Uint16Array(firstCapacity);
  let length = 0;

  function grow(most: number): void {
    if (length + most <= entries.length) return;
    const larger = new Uint16Array(Math.max(2 * entries.length, length + most));
    larger.set(entries.subarray(0, length));
    entries = larger;
  }

  function* sortByBucket(): Sliced<{ sorted: Uint16Array; ends: Uint32Array }> {
    const cursors = new Uint32Array(bucketsMax);
    for (let bucket = 1; bucket < bucketsMax; bucket += 1) {
      cursors[bucket] = (cursors[bucket - 1] as number) + (counts[bucket - 1] as number);
    }
    const sorted = new Uint16Array(length);
    let at = 0;
    for (const [text, end] of ends.entries()) {
      const place = places[text] as number;
      for (; at < end; at += 1) {
        const bucket = entries[at] as number;
        sorted[cursors[bucket] as number] = place;
        cursors[bucket] = (cursors[bucket] as number) + 1;
      }
      if (text % 16 === 0) yield;
    }
    return { sorted, ends: cursors };
  }

  return {
    add(place, projectId, text) {
      const stamp = places.push(place);
      grow(text.length + 1);
      let second = text.charCodeAt(0);
      let third = text.charCodeAt(1);
      let next = length;
      const own = projectBucket(projectId);
      lastText[own] = stamp;
      entries[next] = own;
      next += 1;
      for (let at = 2; at < text.length; at += 1) {
        const first = second;
        second = third;
        third = text.charCodeAt(at);
        const bucket = bucketOf(first, second, third);
        if (lastText[bucket] === stamp) continue;
        lastText[bucket] = stamp;
        entries[next] = bucket;
        next += 1;
      }
      for (let at = length; at < next; at += 1) {
        const bucket = entries[at] as number;
        counts[bucket] = (counts[bucket] as number) + 1;
      }
      length = next;
      ends.push(next);
    },

    *encode() {
      const { sorted, ends: listEnds } = yield* sortByBucket();
      const filled = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
      const buckets = new Int32Array(filled);
      const starts = new Int32Array(filled);
      const lengths = new Int32Array(filled);
      // A distance takes one byte or two, and a list is never longer than a bitmap.
      const bytes = Buffer.allocUnsafe(Math.min(2 * length + filled, filled * (bitmapBytes + 1)));
      let list = 0;
      let end = 0;
      let encoded = 0;
      for (let bucket = 0; bucket < bucketsMax; bucket += 1) {
        const count = counts[bucket] as number;
        if (count === 0) continue;
        const listEnd = listEnds[bucket] as number;
        buckets[list] = bucket;
        starts[list] = end;
        end = writeList(bytes, end, sorted.subarray(listEnd - count, listEnd));
        lengths[list] = end - (starts[list] as number);
        list += 1;
        encoded += count;
        if (encoded < sliceEntries) continue;
        encoded = 0;
        yield;
      }
      return { buckets, starts, lengths, bytes: bytes.subarray(0, end) };
    },
  };
}

/** Returns where the list ends. */
function writeList(bytes: Buffer, start: number, places: Uint16Array): number {
  let end = start + 1;
  if (places.length < bitmapBytes) {
    bytes[start] = asDistances;
    let before = -1;
    for (const place of places) {
      const distance = place - before - 1;
      before = place;
      if (distance > 0x7f) {
        bytes[end] = (distance & 0x7f) | 0x80;
        end += 1;
      }
      bytes[end] = distance > 0x7f ? distance >>> 7 : distance;
      end += 1;
      if (end - start > bitmapBytes) break;
    }
    if (end - start <= bitmapBytes) return end;
  }
  bytes[start] = asBitmap;
  const bitmap = bytes.subarray(start + 1, start + 1 + bitmapBytes).fill(0);
  for (const place of places) bitmap[place >>> 3] = (bitmap[place >>> 3] as number) | (1 << (place & 7));
  return start + 1 + bitmapBytes;
}

/** The places of a list, ascending. */
export function readList(bytes: Uint8Array): number[] {
  const places: number[] = [];
  if (bytes[0] === asBitmap) {
    for (let at = 1; at < bytes.length; at += 1) {
      for (let byte = bytes[at] as number; byte !== 0; byte &= byte - 1) {
        places.push((at - 1) * 8 + (31 - Math.clz32(byte & -byte)));
      }
    }
    return places;
  }
  let before = -1;
  for (let at = 1; at < bytes.length; at += 1) {
    let distance = bytes[at] as number;
    if (distance > 0x7f) {
      at += 1;
      distance = (distance & 0x7f) | ((bytes[at] as number) << 7);
    }
    before += distance + 1;
    places.push(before);
  }
  return places;
}
