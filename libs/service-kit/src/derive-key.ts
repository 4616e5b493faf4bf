import { hkdfSync } from "node:crypto";

/**
 * A 32-byte key for one purpose, derived from the installation's root secret (HKDF-SHA-256). Different purposes give
 * unrelated keys; the same purpose gives the same key on every replica and after every restart.
 */
export function deriveKey(rootSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", rootSecret, "", `touchstone:${purpose}`, 32));
}
