import type { GithubClient } from "../config.ts";
import { createProviderHttp } from "./provider-http.ts";
import { readProviderProfile } from "./provider-profile.ts";
import {
  authorizationUrl,
  type ProviderDependencies,
  reasonOf,
  requireOwnSignIn,
  type SignInProvider,
  textOf,
} from "./sign-in-provider.ts";

interface GithubAddress {
  email?: unknown;
  primary?: unknown;
  verified?: unknown;
}

/**
 * Sign-in by GitHub, which is OAuth without OpenID Connect: GitHub's API identifies users by a number that stays when
 * names change. No token of GitHub is kept.
 */
export function createGithubSignIn(options: ProviderDependencies & { client: GithubClient }): SignInProvider {
  const { client, redirectUri, requestTimeoutMs, logger } = options;
  const { clientId, site, api } = client;
  const siteHttp = createProviderHttp({ home: site, requestTimeoutMs });
  const apiHttp = createProviderHttp({ home: api, requestTimeoutMs });

  async function ask(path: string, accessToken: string): Promise<unknown> {
    const { status, body } = await apiHttp.ask(`${api}${path}`, {
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${accessToken}`,
        // GitHub refuses requests without one.
        "user-agent": "Touchstone",
      },
    });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return body;
  }

  return {
    library: {
      id: "github",
      name: "GitHub",
      options: { requireEmailVerification: options.requiresVerification, disableIdTokenSignIn: true },
      accountSubject: ({ profile }) => textOf(profile, "id") ?? "",

      createAuthorizationURL: ({ state, codeVerifier }) => {
        const scope = "read:user user:email";
        return authorizationUrl(`${site}/login/oauth/authorize`, { clientId, redirectUri, scope, state, codeVerifier });
      },

      async validateAuthorizationCode({ code, codeVerifier = "" }) {
        try {
          await requireOwnSignIn("github");
          const { body } = await siteHttp.ask(`${site}/login/oauth/access_token`, {
            method: "POST",
            headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
            body: new URLSearchParams({
              client_id: clientId,
              client_secret: client.clientSecret.reveal(),
              code,
              redirect_uri: redirectUri,
              code_verifier: codeVerifier,
            }).toString(),
          });
          // An invalid code is answered 200 with an error.
          const accessToken = textOf(body, "access_token");
          if (accessToken === null) throw new Error(textOf(body, "error") ?? "no access token");
          return { raw: { accessToken } };
        } catch (thrown) {
          logger.warn({ provider: "github", reason: reasonOf(thrown) }, "a provider's code could not be redeemed");
          throw new Error("the code could not be redeemed");
        }
      },

      async getUserInfo({ raw = {} }) {
        try {
          const accessToken = textOf(raw, "accessToken") ?? "";
          const user = (await ask("/user", accessToken)) as Record<string, unknown> | null;
          const addresses = await ask("/user/emails", accessToken);
          if (typeof user?.id !== "number" || !Number.isSafeInteger(user.id))
            throw new Error("the answer names no user");
          const primary = (Array.isArray(addresses) ? (addresses as (GithubAddress | null)[]) : []).find(
            (each) => each?.primary === true,
          );
          const profile = readProviderProfile({
            name: user.name ?? user.login,
            email: primary?.email,
            emailVerified: primary?.verified,
            image: user.avatar_url,
          });
          return { user: profile, data: { id: String(user.id) } };
        } catch (thrown) {
          logger.warn({ provider: "github", reason: reasonOf(thrown) }, "a provider did not identify a user");
          return null;
        }
      },
    },
    async close() {
      await Promise.all([siteHttp.close(), apiHttp.close()]);
    },
  };
}
