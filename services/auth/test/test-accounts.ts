import { Writable } from "node:stream";
import {
  accountOriginHeader,
  clientAddressHeader,
  internalRoutes,
  membershipChanged,
  type ResolvedSession,
} from "@touchstone/contracts";
import {
  createInternalClient,
  createLogger,
  createMetrics,
  type InternalClient,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import type { TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { expect, vi } from "vitest";
import { type AuthConfig, createAuth, readAuthConfig } from "../src/index.ts";

const origin = "http://touchstone.test";

export interface AccountAnswer {
  status: number;
  body: Record<string, unknown>;
  /** Each `Set-Cookie` as it came. */
  cookies: string[];
  location: string | undefined;
  retryAfter: string | undefined;
}

export interface TestAccounts {
  /** Where it listens. */
  address: string;
  /** Asks as the gateway does: with its identity, our cookies and the origin. */
  ask(method: string, path: string, options?: AskOptions): Promise<AccountAnswer>;
  /** Signs up and answers the value of the session's cookie. */
  signUp(name: string, password?: string): Promise<string>;
  resolve(cookie: string): Promise<ResolvedSession | null>;
  logged(): string;
  stop(): Promise<void>;
}

export interface AskOptions {
  body?: unknown;
  /** The value of the session's cookie. */
  cookie?: string | undefined;
  userId?: string;
  /** Overrides the headers that a page of the installation sends; undefined removes one. */
  headers?: Record<string, string | undefined>;
}

export const password = "correct horse battery";
export const addressOf = (name: string): string => `${name.toLowerCase()}@example.com`;

/** The value of the session's cookie that an answer sets; undefined when it sets none. */
export function sessionCookieOf({ cookies }: AccountAnswer): string | undefined {
  return cookies.map((cookie) => /session_token=([^;]+);/.exec(cookie)?.[1]).find((value) => value !== undefined);
}

/** The headers that a browser sends with the next request. */
export function cookiesOf({ cookies }: AccountAnswer): string {
  return cookies.map((cookie) => cookie.split(";")[0]).join("; ");
}

/** The users of the events that wait for gateways, oldest event first. */
export async function readAnnouncedUsers(database: TestDatabase): Promise<string[][]> {
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    const text = "select body from auth.outbox where subject = $1 order by id";
    const { rows } = await admin.query<{ body: string }>(text, [membershipChanged.subject]);
    return rows.map(({ body }) => membershipChanged.body.parse(JSON.parse(body)).userIds);
  } finally {
    await admin.end();
  }
}

/** An auth with accounts on a separate database; its bus has no other members. */
export async function startAccounts(
  database: TestDatabase,
  settings: Record<string, string> = {},
  change: (config: AuthConfig) => AuthConfig = (config) => config,
): Promise<TestAccounts> {
  const rootSecret = "a root secret of the installation, long enough";
  let log = "";
  const logger = createLogger(
    { service: "auth", level: "trace" },
    new Writable({
      write(chunk, _encoding, done) {
        log += String(chunk);
        done();
      },
    }),
  );
  const { config } = readAuthConfig({
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: "nats://127.0.0.1:1",
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_AUTH: "enabled",
    ...settings,
  });
  const service: Service = createAuth(change(config), { logger, clock: systemClock, metrics: createMetrics() });
  const { address } = await service.start();
  const client: InternalClient = createInternalClient({
    issuer: "gateway",
    audience: "auth",
    addresses: [address as string],
    rootSecret,
    clock: systemClock,
  });
  await vi.waitFor(async () => expect((await service.readiness()).ready).toBe(true));

  async function ask(
    method: string,
    path: string,
    { body, cookie, userId, headers }: AskOptions = {},
  ): Promise<AccountAnswer> {
    const prefix = settings.SERVICE_PUBLIC_URL?.startsWith("https:") ? "__Secure-" : "";
    const answer = await client.forward({
      method,
      path: `/api/v1${path}`,
      headers: {
        "content-type": "application/json",
        "user-agent": "a browser",
        [clientAddressHeader]: "192.0.2.7",
        [accountOriginHeader]: settings.SERVICE_PUBLIC_URL ?? origin,
        origin: settings.SERVICE_PUBLIC_URL ?? origin,
        ...(cookie !== undefined && { cookie: `${prefix}touchstone.session_token=${cookie}` }),
        ...headers,
      },
      body: body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
      claims: { projectId: null, organizationId: null, userId: userId ?? null, role: null, requestId: "request-1" },
      deadlineMs: 50_000,
    });
    const text = Buffer.from(await answer.body.arrayBuffer()).toString();
    const cookies = answer.headers["set-cookie"];
    return {
      status: answer.status,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
      cookies: cookies === undefined ? [] : [cookies].flat(),
      location: answer.headers.location,
      retryAfter: answer.headers["retry-after"],
    };
  }

  return {
    address: address as string,
    ask,
    async signUp(name, chosen = password) {
      const answer = await ask("POST", "/auth/sign-up/email", {
        body: { name, email: addressOf(name), password: chosen },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return sessionCookieOf(answer) as string;
    },
    resolve: async (cookie) =>
      (await client.call(internalRoutes.resolveSession, { cookie }, { requestId: "request-1", deadlineMs: 5_000 }))
        .session,
    logged: () => log,
    async stop() {
      await client.close();
      await service.stop();
    },
  };
}
