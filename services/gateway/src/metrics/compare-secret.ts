import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Compares digests of a given value and the secret, so neither time nor length reveals how much of a guess was right.
 */
export function createSecretComparison(secret: string): (presented: string) => boolean {
  const expected = digest(secret);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
