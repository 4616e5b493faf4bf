import { hash } from "node:crypto";
import type { Clock, Logger } from "@touchstone/service-kit";
import { getOAuthState } from "better-auth/api";
import type { OAuthProvider } from "better-auth/oauth2";

export type ProviderId = "google" | "github" | "oidc";

/** An identity provider, in the form that the accounts library uses. */
export interface SignInProvider {
  library: OAuthProvider;
  close(): Promise<void>;
}

export interface ProviderDependencies {
  /** The provider redirects browsers here; it must be registered there exactly. */
  redirectUri: string;
  requestTimeoutMs: number;
  /** Users with an unverified address cannot sign in. */
  requiresVerification: boolean;
  /** The library answers 500 if a provider is unavailable; this reports the cause to the caller. */
  onUnavailable: (error: Error) => void;
  /** The `iss` of the current authorization response; null if it has none. */
  issuerOfResponse: () => string | null;
  clock: Clock;
  logger: Logger;
}

/** The parameters of every authorization request: a code, bound to this browser and to PKCE's verifier. */
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
 * Throws if the returning sign-in began at another provider. The library does not record that, and a code of one
 * provider must not be sent to another.
 */
export async function requireOwnSignIn(id: ProviderId): Promise<void> {
  const state = await getOAuthState<{ provider?: unknown }>();
  if (state?.provider !== id) throw new Error("the sign-in was begun at another provider");
}

/** A text member of an answer, or null. */
export function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Why a sign-in failed, for the log: messages of this code and of the validating libraries; none contains a token. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.slice(0, 300) : "unknown";
}
