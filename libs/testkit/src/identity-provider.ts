import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
// @ts-expect-error: the package has no types.
import { Provider } from "oidc-provider";

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

/** The provider's claims about a user, besides the identity. */
export type Claims = Record<string, unknown>;

/** Changes an id token before the provider returns it; returns the new one. */
export type Tampering = (
  claims: JWTPayload,
  sign: (claims: JWTPayload, key?: SigningKey) => Promise<string>,
) => Promise<string>;

export interface IdentityProvider {
  issuer: string;
  /** The user who signs in next. */
  person: { sub: string; claims: Claims };
  /** The number of codes that were exchanged. */
  redeemed: number;
  /** Null: tokens are returned unchanged. */
  tampering: Tampering | null;
  /** Follows the provider's pages like a browser; returns the address it is redirected to. */
  browse(url: string): Promise<URL>;
  stop(): Promise<void>;
}

/**
 * A real OpenID Connect provider on loopback that requires PKCE, with one page that signs in and agrees to everything.
 */
export async function startIdentityProvider(clients: { id: string; secret: string; redirectUri: string }[]) {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: clients.map(({ id, secret, redirectUri }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
      id_token_signed_response_alg: "ES256",
    })),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig", kid: "key-1" }] },
    cookies: { keys: ["of the tests only"] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "picture", "preferred_username"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...(people.get(sub) ?? {}) }),
    }),
  });
  const people = new Map<string, Claims>();
  const handle = provider.callback();
  const started: IdentityProvider = {
    issuer,
    person: { sub: "nobody", claims: {} },
    redeemed: 0,
    tampering: null,
    browse,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/interaction/")) return signIn(request, response);
    if (request.url === "/token") started.redeemed += 1;
    if (request.url === "/token" && started.tampering !== null) changeIdToken(response, started.tampering);
    await handle(request, response);
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const { sub, claims } = started.person;
    people.set(sub, claims);
    const grant = new provider.Grant({ accountId: sub, clientId: params.client_id });
    grant.addOIDCScope(String(params.scope));
    const result = { login: { accountId: sub }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  }

  function changeIdToken(response: ServerResponse, tamper: Tampering): void {
    const end = response.end.bind(response);
    const sign = (claims: JWTPayload, key: SigningKey = privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "key-1" }).sign(key);
    response.end = ((body: string) => {
      const tokens = JSON.parse(body) as { id_token?: string };
      if (tokens.id_token === undefined) return end(body);
      const claims = JSON.parse(Buffer.from(tokens.id_token.split(".")[1] ?? "", "base64url").toString());
      void tamper(claims, sign).then((idToken) => {
        const changed = JSON.stringify({ ...tokens, id_token: idToken });
        response.setHeader("content-length", Buffer.byteLength(changed));
        end(changed);
      });
      return response;
    }) as typeof response.end;
  }

  async function browse(url: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = new URL(url);
    while (next.origin === issuer) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const page = await fetch(next, { redirect: "manual", headers: { cookie } });
      for (const set of page.headers.getSetCookie()) {
        const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = page.headers.get("location");
      if (location === null) throw new Error(`${next.pathname} answered ${page.status}: ${await page.text()}`);
      next = new URL(location, next);
    }
    return next;
  }

  return started;
}
