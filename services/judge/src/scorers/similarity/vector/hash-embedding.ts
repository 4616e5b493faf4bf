import type { Sliced } from "@touchstone/service-kit";

/** The model name for {@link embedByHashing} instead of a provider (completions 6.5). */
export const hashEmbeddingModel = "local-hash";

const dimensions = 1024;
const gramLength = 3;
const tokensPerPiece = 1024;

/**
 * An embedding without a provider: counts of the text's letter trigrams, hashed into a fixed number of buckets. It reflects
 * spelling, not meaning, and is the same on every machine.
 */
export function* embedByHashing(text: string): Sliced<number[]> {
  const vector = new Array<number>(dimensions).fill(0);
  let tokens = 0;
  for (const [token] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const padded = ` ${token} `;
    for (let start = 0; start + gramLength <= padded.length; start += 1) {
      const bucket = hash(padded, start, start + gramLength) % dimensions;
      vector[bucket] = (vector[bucket] as number) + 1;
    }
    tokens += 1;
    if (tokens % tokensPerPiece === 0) yield;
  }
  return vector;
}

/** FNV-1a over the UTF-16 units of a part of the text. */
function hash(text: string, from: number, until: number): number {
  let value = 0x811c9dc5;
  for (let index = from; index < until; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
