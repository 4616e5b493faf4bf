import { createHash } from "node:crypto";

/** Random bits, reproducible from the seed on every machine and in every version. */
export interface Random {
  /** 32 random bits, as an integer from 0 to 2^32 - 1. */
  bits(): number;
  /** At least 0, below 1. */
  fraction(): number;
}

/** The generator xoshiro128** (Blackman and Vigna), seeded with the SHA-256 of the seed. Not for secrets. */
export function createRandom(seed: string): Random {
  const digest = createHash("sha256").update(seed).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12);
  const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

  function bits(): number {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  }
  return { bits, fraction: () => bits() / 2 ** 32 };
}
