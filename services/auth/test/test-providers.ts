import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@touchstone/contracts";
import { createTestDatabase } from "@touchstone/testkit";
import { type IdentityProvider, startIdentityProvider } from "@touchstone/testkit/identity-provider";
import { Client } from "pg";
import type { AuthConfig } from "../src/index.ts";
import { addressOf, startAccounts } from "./test-accounts.ts";
import { startGithub, type TestGithub } from "./test-github.ts";

/** Queries the database as a role that row-level security does not bind. */
export type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * An auth with all three providers on a separate database, and another one on the same database whose providers are
 * unavailable: google refuses connections, and oidc never answers.
 */
export async function startWithProviders(publicUrl: string) {
  const clients = ["google", "oidc"].map((id) => ({
    id,
    secret: `the secret of ${id}`,
    redirectUri: `${publicUrl}/api/v1/auth/callback/${id}`,
  }));
  const [database, provider, github] = await Promise.all([
    createTestDatabase(),
    startIdentityProvider(clients),
    startGithub(),
  ]);
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const settings = {
    SERVICE_PUBLIC_URL: publicUrl,
    SERVICE_TRUSTED_ORIGINS: "https://dashboard.example.com",
    SERVICE_OIDC_ISSUER: provider.issuer,
    SERVICE_OIDC_CLIENT_ID: "oidc",
    SERVICE_OIDC_CLIENT_SECRET: "the secret of oidc",
    SERVICE_OIDC_NAME: "Example Inc.",
  };
  const accounts = await startAccounts(
    database,
    settings,
    withProviders({
      google: { ...client("google"), issuer: provider.issuer },
      github: { ...client("github"), site: github.origin, api: github.origin },
    }),
  );
  const stranded = await startAccounts(
    database,
    { ...settings, SERVICE_OIDC_ISSUER: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` },
    withProviders({ google: { ...client("google"), issuer: "http://127.0.0.1:1025" }, requestTimeoutMs: 300 }),
  );
  const query: Query = async <Row>(text: string, values: unknown[] = []) => {
    const connection = new Client({ connectionString: database.adminUrl });
    await connection.connect();
    try {
      return (await connection.query(text, values)).rows as Row[];
    } finally {
      await connection.end();
    }
  };
  return {
    query,
    provider,
    github,
    accounts,
    stranded,
    async stop() {
      await Promise.all([accounts.stop(), stranded.stop(), provider.stop(), github.stop()]);
      silent.closeAllConnections();
      silent.close();
      await database.drop();
    },
  };
}

const client = (id: string) => ({ clientId: id, clientSecret: new Secret(`the secret of ${id}`) });

const withProviders = (providers: object) => (config: AuthConfig) => ({
  ...config,
  accounts: config.accounts && {
    ...config.accounts,
    providers: { ...config.accounts.providers, ...providers },
  },
});

/** The user of all later sign-ins, with a verified address. */
export function bePerson(number: number, provider: IdentityProvider, github: TestGithub): void {
  const name = `Person${number}`;
  provider.person = { sub: `person-${number}`, claims: { name, email: addressOf(name), email_verified: true } };
  github.answers = {
    "/login/oauth/access_token": { access_token: "an access token" },
    "/user": { id: 1000 + number, login: name, name, avatar_url: "https://example.com/a.png" },
    "/user/emails": [{ email: addressOf(name), primary: true, verified: true }],
  };
}
