import type { OidcClient } from "../config.ts";
import { createDiscovery, type ProviderMetadata } from "./discovery.ts";
import { createIdTokenCheck } from "./id-token-check.ts";
import { createProviderHttp, type ProviderHttp, providerUnavailable } from "./provider-http.ts";
import { readProviderProfile } from "./provider-profile.ts";
import {
  authorizationUrl,
  type ProviderDependencies,
  reasonOf,
  requireOwnSignIn,
  type SignInProvider,
  textOf,
} from "./sign-in-provider.ts";

export interface OidcSignInOptions extends ProviderDependencies {
  id: "google" | "oidc";
  name: string;
  client: OidcClient;
}

/**
 * Sign-in by OpenID Connect (decision 26): authorization code, PKCE, state and nonce. A user is identified by the
 * issuer and its subject, never by an address. No token of the provider is kept.
 */
export function createOidcSignIn(options: OidcSignInOptions): SignInProvider {
  const { id, client, redirectUri, issuerOfResponse, clock, logger, onUnavailable } = options;
  const { issuer, clientId } = client;
  const http = createProviderHttp({ home: issuer, requestTimeoutMs: options.requestTimeoutMs });
  const discovery = createDiscovery({ issuer, http, clock });
  const idTokens = createIdTokenCheck({ ...options, issuer, clientId, http });

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
          const metadata = await discovery.read();
          // The library rejects another issuer's name. If a provider always sends its name (RFC 9207), a missing one is
          // as bad.
          if (metadata.namesItselfInResponses && issuerOfResponse() === null) {
            throw new Error("the response names no issuer");
          }
          // Under `raw`, because the library would store tokens under its own names.
          return { raw: await redeem(metadata, http, { client, redirectUri, code, codeVerifier }) };
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
          const token = await idTokens.verify(idToken, expectedIdTokenNonce, metadata.keysUrl);
          const { sub } = token;
          const asked =
            token.email === undefined
              ? await askForClaims(metadata, http, { sub, accessToken: textOf(raw, "accessToken") })
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

/** Exchanges a code for the tokens of its user. */
async function redeem(
  { tokenEndpoint, secretGoesIn }: ProviderMetadata,
  http: ProviderHttp,
  {
    client: { clientId, clientSecret },
    redirectUri,
    code,
    codeVerifier,
  }: { client: OidcClient; redirectUri: string; code: string; codeVerifier: string },
): Promise<{ idToken: string; accessToken: string | null }> {
  const secret = clientSecret.reveal();
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
  return { idToken, accessToken: textOf(body, "access_token") };
}

/** Many providers return the address only here. Claims about another subject are ignored. */
async function askForClaims(
  { userInfoEndpoint }: ProviderMetadata,
  http: ProviderHttp,
  { sub, accessToken }: { sub: string; accessToken: string | null },
): Promise<Record<string, unknown>> {
  if (userInfoEndpoint === null || accessToken === null) return {};
  const headers = { accept: "application/json", authorization: `Bearer ${accessToken}` };
  const { status, body } = await http.ask(userInfoEndpoint, { headers });
  return status === 200 && textOf(body, "sub") === sub ? (body as Record<string, unknown>) : {};
}

/** As in RFC 6749: both parts are form-encoded. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString("base64")}`;
}
