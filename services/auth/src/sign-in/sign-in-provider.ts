import { hash } from "node:crypto";
import type { Clock, Logger } from "@touchstone/service-kit";
import { getOAuthState } from "better-auth/api";
import type { OAuthProvider } from "better-auth/oauth2";

export type ProviderId = "google" | "github" | "oidc";

/** Somebody who says who a user is, as the accounts library asks them. */
export interface SignInProvider {
  library: OAuthProvider;
  close(): Promise<void>;
}

export interface ProviderDependencies {
  /** Where the provider sends browsers back to; it knows the very text. */
  redirectUri: string;
  requestTimeoutMs: number;
  /** Nobody signs in with an address that nobody verified. */
  requiresVerification: boolean;
  /** The library answers 500 for a provider that is away; whoever called it can know better. */
  onUnavailable: (error: Error) => void;
  /** The `iss` of the authorization response being answered; null when it has none. */
  issuerOfResponse: () => string | null;
  clock: Clock;
  logger: Logger;
}

/** The parameters that every authorization request of ours has: a code, bound to this browser and to PKCE's verifier. */
export function authorizationUrl(
  endpoint: string,
  request: { clientId: string; redirectUri: string; scope: string; state: string; codeVerifier: string },
): URL {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scope,
    state: request.state,
    code_challenge: hash("sha256", request.codeVerifier, "base64url"),
    code_challenge_method: "S256",
  })) {
    url.searchParams.set(name, value);
  }
  return url;
}

/**
 * Throws when the sign-in that comes back was begun at another provider. The library keeps no note of that, and a code of
 * one provider must not be handed to another.
 */
export async function requireOwnSignIn(id: ProviderId): Promise<void> {
  const state = await getOAuthState<{ provider?: unknown }>();
  if (state?.provider !== id) throw new Error("the sign-in was begun at another provider");
}

/** A text of an answer, or null. */
export function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === "string" && value !== "" ? value : null;
}
