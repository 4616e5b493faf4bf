import type { ProvidersConfig } from "../config.ts";
import { createGithubSignIn } from "./github-sign-in.ts";
import { createOidcSignIn } from "./oidc-sign-in.ts";
import type { ProviderDependencies, ProviderId, SignInProvider } from "./sign-in-provider.ts";

/** The configured providers. They are not contacted before a user signs in. */
export function createSignInProviders(
  { google, github, oidc, requestTimeoutMs }: ProvidersConfig,
  options: Omit<ProviderDependencies, "redirectUri" | "requestTimeoutMs"> & { publicUrl: string | null },
): SignInProvider[] {
  const dependenciesOf = (id: ProviderId): ProviderDependencies => ({
    ...options,
    requestTimeoutMs,
    redirectUri: `${options.publicUrl?.replace(/(?<!\/)\/+$/, "")}/api/v1/auth/callback/${id}`,
  });
  const providers: SignInProvider[] = [];
  if (google) {
    providers.push(createOidcSignIn({ ...dependenciesOf("google"), id: "google", name: "Google", client: google }));
  }
  if (github) providers.push(createGithubSignIn({ ...dependenciesOf("github"), client: github }));
  if (oidc) providers.push(createOidcSignIn({ ...dependenciesOf("oidc"), id: "oidc", name: oidc.name, client: oidc }));
  return providers;
}
