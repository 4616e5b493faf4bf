import { createHash, timingSafeEqual } from "node:crypto";

/** Compares digests of what is presented with one secret, so neither time nor length tells how much of a guess was right. */
export function createSecretComparison(secret: string): (presented: string) => boolean {
  const expected = digest(secret);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
