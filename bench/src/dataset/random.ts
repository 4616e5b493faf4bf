/** Random numbers that are the same in every run. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** A whole number below `bound`. */
  below(bound: number): number;
  /** This many random bytes as hexadecimal digits. */
  hex(bytes: number): string;
  /** Lognormally distributed: half of the values below `median`, one in a hundred above `p99`. */
  logNormal(median: number, p99: number): number;
}

/** The quantile of the standard normal distribution at 0.99. */
const normalP99 = 2.326;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, and good enough for sizes and words.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    hex: (bytes) => Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, "0")).join(""),
    logNormal(median, p99) {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp((Math.log(p99 / median) / normalP99) * normal);
    },
  };
}
