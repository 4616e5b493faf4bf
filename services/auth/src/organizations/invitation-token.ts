import { hash, randomBytes } from "node:crypto";

const tokenBytes = 32;

/** 256 random bits, to be part of a link. Whoever has it, and the address it was issued to, may join. */
export function createInvitationToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** What of a token is stored: with so many random bits a plain hash cannot be turned back. */
export function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
