import type { Tampering } from "@touchstone/testkit/identity-provider";
import { generateKeyPair } from "jose";

/** The ways in which a token is invalid, and how to create one. */
export const wrongTokens: [string, Tampering][] = [
  ["of another sign-in", (claims, sign) => sign({ ...claims, nonce: "another nonce" })],
  ["without a nonce", ({ nonce: _nonce, ...claims }, sign) => sign(claims)],
  ["of another issuer", (claims, sign) => sign({ ...claims, iss: "https://evil.example" })],
  ["that is over", (claims, sign) => sign({ ...claims, iat: 1_700_000_000, exp: 1_700_000_600 })],
  ["that never ends", ({ exp: _exp, ...claims }, sign) => sign(claims)],
  ["for another client", (claims, sign) => sign({ ...claims, aud: "google" })],
  ["shared with another client", (claims, sign) => sign({ ...claims, aud: ["oidc", "google"] })],
  ["given to another client", (claims, sign) => sign({ ...claims, azp: "google" })],
  ["of nobody", ({ sub: _sub, ...claims }, sign) => sign(claims)],
  ["signed by another key", async (claims, sign) => sign(claims, (await generateKeyPair("ES256")).privateKey)],
  ["without a signature", async (claims) => `${encode({ alg: "none" })}.${encode(claims)}.`],
  ["that is no token", async () => "nonsense"],
];

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
