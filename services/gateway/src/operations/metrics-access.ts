import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "@touchstone/contracts";

/**
 * Whether an `Authorization` header opens `/metrics` (interface: Account routes). Everybody may look where no token is
 * set. Digests are compared, so neither time nor length tells how much of a guess was right.
 */
export function createMetricsAccess(token: Secret | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => true;
  const expected = digest(`Bearer ${token.reveal()}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ""), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
