import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { OidcClient } from "../config.ts";
import { createDiscovery, type ProviderMetadata } from "./discovery.ts";
import { createProviderHttp, providerUnavailable } from "./provider-http.ts";
import { readProviderProfile } from "./provider-profile.ts";
import {
  authorizationUrl,
  type ProviderDependencies,
  requireOwnSignIn,
  type SignInProvider,
  textOf,
} from "./sign-in-provider.ts";

export interface OidcSignInOptions extends ProviderDependencies {
  id: "google" | "oidc";
  name: string;
  client: OidcClient;
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

/**
 * Sign-in by OpenID Connect (decision 26): authorization code, PKCE, state and nonce. A user is identified by the
 * issuer and its subject, never by an address. No token of the provider is kept.
 */
export function createOidcSignIn(options: OidcSignInOptions): SignInProvider {
  const { id, client, redirectUri, issuerOfResponse, clock, logger, onUnavailable } = options;
  const { issuer, clientId } = client;
  const http = createProviderHttp({ home: issuer, requestTimeoutMs: options.requestTimeoutMs });
  const discovery = createDiscovery({ issuer, http, clock });
  let keys: { url: string; find: JWTVerifyGetKey } | null = null;

  function keysAt(url: string): JWTVerifyGetKey {
    if (keys?.url !== url) {
      const { requestTimeoutMs: timeoutDuration } = options;
      keys = { url, find: createRemoteJWKSet(new URL(url), { timeoutDuration, [customFetch]: http.fetch }) };
    }
    return keys.find;
  }

  /** Throws unless the token is valid, of this issuer, for this client and this sign-in, and unexpired. */
  async function verify(idToken: string, nonce: string, keysUrl: string): Promise<JWTPayload & { sub: string }> {
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
    return payload as JWTPayload & { sub: string };
  }

  /** Many providers return the address only here. Claims about another subject are ignored. */
  async function askForClaims(
    { userInfoEndpoint }: ProviderMetadata,
    { sub, accessToken }: { sub: string; accessToken: string | null },
  ): Promise<Record<string, unknown>> {
    if (userInfoEndpoint === null || accessToken === null) return {};
    const headers = { accept: "application/json", authorization: `Bearer ${accessToken}` };
    const { status, body } = await http.ask(userInfoEndpoint, { headers });
    return status === 200 && textOf(body, "sub") === sub ? (body as Record<string, unknown>) : {};
  }

  return {
    library: {
      id,
      name: options.name,
      issuer,
      requiresIdTokenNonce: true,
      // Tokens from clients are not accepted, only fetched ones.
      options: { requireEmailVerification: options.requiresVerification, disableIdTokenSignIn: true },
      accountSubject: ({ profile }) => `${issuer} ${textOf(profile, "sub") ?? ""}`.trim(),

      async createAuthorizationURL({ state, codeVerifier, idTokenNonce }) {
        if (idTokenNonce === undefined) throw new Error("a sign-in has a nonce");
        try {
          const { authorizationEndpoint } = await discovery.read();
          const scope = "openid email profile";
          const url = authorizationUrl(authorizationEndpoint, { clientId, redirectUri, scope, state, codeVerifier });
          url.searchParams.set("nonce", idTokenNonce);
          return url;
        } catch (thrown) {
          logger.warn({ provider: id, reason: reasonOf(thrown) }, "a sign-in cannot begin at its provider");
          onUnavailable(providerUnavailable(thrown));
          throw thrown;
        }
      },

      async validateAuthorizationCode({ code, codeVerifier = "" }) {
        try {
          await requireOwnSignIn(id);
          const { tokenEndpoint, secretGoesIn, namesItselfInResponses } = await discovery.read();
          // The library rejects another issuer's name. If a provider always sends its name (RFC 9207), a missing one is
          // as bad.
          if (namesItselfInResponses && issuerOfResponse() === null) throw new Error("the response names no issuer");
          const secret = client.clientSecret.reveal();
          const isInHeader = secretGoesIn === "header";
          const { status, body } = await http.ask(tokenEndpoint, {
            method: "POST",
            headers: {
              accept: "application/json",
              "content-type": "application/x-www-form-urlencoded",
              ...(isInHeader && { authorization: basic(clientId, secret) }),
            },
            body: new URLSearchParams({
              grant_type: "authorization_code",
              code,
              redirect_uri: redirectUri,
              code_verifier: codeVerifier,
              ...(!isInHeader && { client_id: clientId, client_secret: secret }),
            }).toString(),
          });
          const idToken = textOf(body, "id_token");
          if (status !== 200) throw new Error(`the token endpoint answered ${status}`);
          if (idToken === null) throw new Error("the token endpoint gave no id token");
          // Under `raw`, because the library would store tokens under its own names.
          return { raw: { idToken, accessToken: textOf(body, "access_token") } };
        } catch (thrown) {
          logger.warn({ provider: id, reason: reasonOf(thrown) }, "a provider's code could not be redeemed");
          throw new Error("the code could not be redeemed");
        }
      },

      async getUserInfo({ raw = {}, expectedIdTokenNonce }) {
        try {
          const idToken = textOf(raw, "idToken");
          if (idToken === null || expectedIdTokenNonce === undefined) throw new Error("nothing to check");
          const metadata = await discovery.read();
          const token = await verify(idToken, expectedIdTokenNonce, metadata.keysUrl);
          const { sub } = token;
          const asked =
            token.email === undefined
              ? await askForClaims(metadata, { sub, accessToken: textOf(raw, "accessToken") })
              : {};
          const claims: Record<string, unknown> = { ...asked, ...token };
          const profile = readProviderProfile({
            name: claims.name ?? claims.preferred_username,
            email: claims.email,
            emailVerified: claims.email_verified,
            image: claims.picture,
          });
          return { user: profile, data: { sub } };
        } catch (thrown) {
          logger.warn({ provider: id, reason: reasonOf(thrown) }, "a provider's token was refused");
          return null;
        }
      },
    },
    close: http.close,
  };
}

/** As in RFC 6749: both parts are form-encoded. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString("base64")}`;
}

/** Messages of this code and of the validating libraries; none of them contains a token. */
function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.slice(0, 300) : "unknown";
}
