import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { type Identity, identity, type ServiceName } from "@touchstone/contracts";
import type { Clock } from "./clock.ts";
import { deriveKey } from "./derive-key.ts";

/** How long an identity is valid: a hop's travel time, not a request's. */
const lifetimeMs = 30_000;

/** The claims of the issuer; the rest of the identity is filled in when it is signed. */
export type IdentityClaims = Omit<Identity, "issuer" | "audience" | "expiresAtMs">;

/** The identity of a request that is sent now. A service in the same process is handed it as it is. */
export function stateIdentity(
  claims: IdentityClaims,
  { issuer, audience, clock }: { issuer: ServiceName; audience: ServiceName; clock: Clock },
): Identity {
  return { ...claims, issuer, audience, expiresAtMs: clock.now() + lifetimeMs };
}

/**
 * Signs identities from one service to another (decision 5). Keys are derived once per pair; signing takes some
 * microseconds.
 */
export function createIdentitySigner(options: {
  issuer: ServiceName;
  audience: ServiceName;
  rootSecret: string;
  clock: Clock;
}): (claims: IdentityClaims) => string {
  const key = pairKey(options.rootSecret, options.issuer, options.audience);
  return (claims) => {
    const stated = stateIdentity(claims, options);
    const payload = Buffer.from(JSON.stringify(stated)).toString("base64url");
    return `${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`;
  };
}

/**
 * Checks identities addressed to one service: signature, audience, expiry, method and path. Returns null for an invalid
 * one, without saying which check failed. `noteClock` learns how far our clock seems to be ahead of an issuer's: of each
 * identity that has expired, and of each that seems to be issued later than now.
 */
export function createIdentityVerifier(options: {
  audience: ServiceName;
  rootSecret: string;
  clock: Clock;
  noteClock?: (aheadMs: number, issuer: ServiceName) => void;
}): (header: string | string[] | undefined, request: { method: string; path: string }) => Identity | null {
  const keys = new Map<ServiceName, KeyObject>();
  const keyOf = (issuer: ServiceName): KeyObject => {
    const known = keys.get(issuer);
    if (known) return known;
    const key = pairKey(options.rootSecret, issuer, options.audience);
    keys.set(issuer, key);
    return key;
  };
  return (header, request) => {
    if (typeof header !== "string") return null;
    const dot = header.indexOf(".");
    if (dot < 1) return null;
    const payload = header.slice(0, dot);
    const stated = readPayload(payload);
    if (stated === null || stated.audience !== options.audience) return null;
    const expected = createHmac("sha256", keyOf(stated.issuer)).update(payload).digest();
    const given = Buffer.from(header.slice(dot + 1), "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const ageMs = options.clock.now() - (stated.expiresAtMs - lifetimeMs);
    if (ageMs > lifetimeMs || ageMs < 0) options.noteClock?.(ageMs, stated.issuer);
    if (ageMs > lifetimeMs) return null;
    return stated.method === request.method && stated.path === request.path ? stated : null;
  };
}

/** A key object, because an HMAC with plain bytes creates one each time: 8 us instead of 1.3. */
function pairKey(rootSecret: string, issuer: ServiceName, audience: ServiceName): KeyObject {
  return createSecretKey(deriveKey(rootSecret, `identity:${issuer}>${audience}`));
}

function readPayload(payload: string): Identity | null {
  try {
    const parsed = identity.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
