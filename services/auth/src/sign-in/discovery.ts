import type { Clock } from "@touchstone/service-kit";
import { z } from "zod";
import type { ProviderHttp } from "./provider-http.ts";

/** The parts of an OpenID Connect provider's published configuration that sign-in uses. */
export interface ProviderMetadata {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  keysUrl: string;
  /** Null if it has none. */
  userInfoEndpoint: string | null;
  /** How the token endpoint accepts the client secret. */
  secretGoesIn: "header" | "body";
  /** Its authorization responses name the issuer (RFC 9207). */
  namesItselfInResponses: boolean;
}

const rememberedMs = 60 * 60 * 1000;

const published = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/**
 * Reads an issuer's configuration on first use and then once an hour: an unavailable provider delays no start. Throws
 * if it cannot be read, is of another issuer, or names addresses that are not allowed.
 */
export function createDiscovery({ issuer, http, clock }: { issuer: string; http: ProviderHttp; clock: Clock }) {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  let known: { metadata: ProviderMetadata; readAtMs: number } | null = null;
  let reading: Promise<ProviderMetadata> | null = null;

  async function read(): Promise<ProviderMetadata> {
    const { status, body } = await http.ask(url, { headers: { accept: "application/json" } });
    if (status !== 200) throw new Error(`the provider's configuration is answered with ${status}`);
    const { data: found, error } = published.safeParse(body);
    if (error) throw new Error(`the provider's configuration is not usable: ${error.issues[0]?.path.join(".")}`);
    // A foreign configuration would send users, and the client secret, to a foreign provider.
    if (found.issuer !== issuer) throw new Error(`the provider calls itself ${JSON.stringify(found.issuer)}`);
    const userInfoEndpoint = found.userinfo_endpoint ?? null;
    const named = [found.authorization_endpoint, found.token_endpoint, found.jwks_uri, userInfoEndpoint];
    const refused = named.find((each) => each !== null && !http.allows(each));
    if (refused) throw new Error(`the provider names an address that is not https: ${JSON.stringify(refused)}`);
    const methods = found.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const metadata: ProviderMetadata = {
      authorizationEndpoint: found.authorization_endpoint,
      tokenEndpoint: found.token_endpoint,
      keysUrl: found.jwks_uri,
      userInfoEndpoint,
      secretGoesIn: methods.includes("client_secret_basic") ? "header" : "body",
      namesItselfInResponses: found.authorization_response_iss_parameter_supported ?? false,
    };
    known = { metadata, readAtMs: clock.now() };
    return metadata;
  }

  return {
    async read(): Promise<ProviderMetadata> {
      const ageMs = known === null ? Number.POSITIVE_INFINITY : clock.now() - known.readAtMs;
      if (known !== null && ageMs >= 0 && ageMs < rememberedMs) return known.metadata;
      reading ??= read().finally(() => {
        reading = null;
      });
      return reading;
    },
  };
}
