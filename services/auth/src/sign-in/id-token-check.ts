import type { Clock } from "@touchstone/service-kit";
import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { ProviderHttp } from "./provider-http.ts";

/** The claims of a valid token; `sub` names its user. */
export type CheckedIdToken = JWTPayload & { sub: string };

/** Checks the ID tokens of one provider, by its published keys. */
export interface IdTokenCheck {
  /** Throws unless the token is valid, of this issuer, for this client and this sign-in, and unexpired. */
  verify(idToken: string, nonce: string, keysUrl: string): Promise<CheckedIdToken>;
}

/** Signatures that need a private key; `none` is excluded. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Tolerated difference between the provider's clock and the server's. */
const clockToleranceSeconds = 30;
/** Some older Google tokens omit the scheme. */
const otherIssuers: Readonly<Record<string, string>> = { "https://accounts.google.com": "accounts.google.com" };

/** Reads a provider's keys when a token needs them, and remembers them. */
export function createIdTokenCheck({
  issuer,
  clientId,
  http,
  requestTimeoutMs,
  clock,
}: {
  issuer: string;
  clientId: string;
  http: ProviderHttp;
  requestTimeoutMs: number;
  clock: Clock;
}): IdTokenCheck {
  let keys: { url: string; find: JWTVerifyGetKey } | null = null;

  function keysAt(url: string): JWTVerifyGetKey {
    if (keys?.url !== url) {
      const options = { timeoutDuration: requestTimeoutMs, [customFetch]: http.fetch };
      keys = { url, find: createRemoteJWKSet(new URL(url), options) };
    }
    return keys.find;
  }

  return {
    async verify(idToken, nonce, keysUrl) {
      const { payload } = await jwtVerify(idToken, keysAt(keysUrl), {
        issuer: [issuer, otherIssuers[issuer] ?? issuer],
        audience: clientId,
        algorithms,
        requiredClaims: ["sub", "iat", "exp"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      if (payload.nonce !== nonce) throw new Error("the token is of another sign-in");
      const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
      if ((isShared || payload.azp !== undefined) && payload.azp !== clientId) {
        throw new Error("the token was given to another client");
      }
      if (typeof payload.sub !== "string" || payload.sub === "") throw new Error("the token names no user");
      return payload as CheckedIdToken;
    },
  };
}
