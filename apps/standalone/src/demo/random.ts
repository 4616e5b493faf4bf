import { hash } from "node:crypto";

/** A pseudo-random number generator: the same seed gives the same sequence. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Distributed around `median`, skewed to the right as latencies are; a `spread` of 0.5 is wide. */
  skewed(median: number, spread: number): number;
}

/** Mulberry32 over the hash of the seed. */
export function createRandom(seed: string): Random {
  let state = Number.parseInt(hash("sha256", seed).slice(0, 8), 16);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("there is nothing to pick from");
      return item;
    },
    skewed: (median, spread) =>
      median * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())),
  };
}

/** A hex id of this many characters that depends only on the seed. */
export const seededHex = (seed: string, chars: number): string => hash("sha256", seed).slice(0, chars);
