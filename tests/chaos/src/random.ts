/** Random choices that a seed reproduces: the whole schedule of a run follows from it. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Another, independent generator: using it does not affect this one. */
  fork(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  /** Mulberry32: 32 bits of state suffice to choose faults. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error("there is nothing to pick from");
      return items[Math.floor(next() * items.length)] as Item;
    },
    fork(name) {
      let hash = seed >>> 0;
      for (const char of name) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
      return createRandom(hash);
    },
  };
}
