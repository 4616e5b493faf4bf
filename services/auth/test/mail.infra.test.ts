import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { Secret } from "@touchstone/contracts";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { startIdentityProvider } from "@touchstone/testkit/identity-provider";
import { Client } from "pg";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHostedTransport } from "../src/mail/transports.ts";
import {
  addressOf,
  cookiesOf,
  password,
  readAnnouncedUsers,
  sessionCookieOf,
  startAccounts,
  type TestAccounts,
} from "./test-accounts.ts";

const publicUrl = "http://touchstone.test";
let database: TestDatabase;
let folder: string;
const cleanups: (() => Promise<unknown> | unknown)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "mails-"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

async function start(settings: Record<string, string>): Promise<TestAccounts> {
  const accounts = await startAccounts(database, {
    SERVICE_PUBLIC_URL: publicUrl,
    SERVICE_EMAIL_FROM: "Touchstone <touchstone@example.com>",
    ...settings,
  });
  cleanups.push(() => accounts.stop());
  return accounts;
}

interface FiledMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  kind: string;
}

/** The mails in the folder, oldest first, once there are this many. */
async function mails(count: number): Promise<FiledMail[]> {
  return vi.waitFor(async () => {
    const files = (await readdir(folder)).sort();
    expect(files).toHaveLength(count);
    return Promise.all(files.map(async (file) => JSON.parse(await readFile(path.join(folder, file), "utf8"))));
  });
}

/** The path of the link in a mail, below /api/v1. */
function linkIn(text: string): string {
  const [, link] = /^http:\/\/touchstone\.test\/api\/v1(\S+)$/m.exec(text) ?? [];
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
}

/** The token of a reset that is asked for now; `count` is the number of mails with it. */
async function askForToken(accounts: TestAccounts, count: number, email = addressOf("Ada")): Promise<string | null> {
  await accounts.ask("POST", "/auth/request-password-reset", { body: { email, redirectTo: `${publicUrl}/reset` } });
  const opened = await accounts.ask("GET", linkIn((await mails(count)).at(-1)?.text ?? ""));
  return new URL(opened.location ?? "").searchParams.get("token");
}

test("no account signs in before its address is verified, where that is required", {
  tags: ["spec:sign-in.verification"],
}, async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder, SERVICE_REQUIRE_EMAIL_VERIFICATION: "true" });
  const signIn = () => accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf("Ada"), password } });
  expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({
    emailEnabled: true,
    verificationRequired: true,
  });

  const up = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: "Ada", email: addressOf("Ada"), password, callbackURL: "/welcome" },
  });
  expect(up).toMatchObject({ status: 200, body: { token: null, user: { emailVerified: false } }, cookies: [] });
  expect(await signIn()).toMatchObject({ status: 403, body: { code: "EMAIL_NOT_VERIFIED" }, cookies: [] });

  const [mail] = await mails(1);
  expect(mail).toMatchObject({ to: addressOf("Ada"), kind: "verification" });
  const link = linkIn(mail?.text ?? "");
  const changed = link.replace(/token=[^&]+/, (token) => `${token.slice(0, -3)}abc`);
  expect(await accounts.ask("GET", changed.replace(/&callbackURL=.*/, ""))).toMatchObject({
    status: 401,
    body: { code: "INVALID_TOKEN" },
  });
  expect(await accounts.ask("GET", link)).toMatchObject({ status: 302, location: "/welcome" });
  expect((await signIn()).status).toBe(200);
});

test("a verification is mailed again on request, and the answer does not reveal whether an address is known", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  await accounts.signUp("Ada");
  const ask = (email: string) => accounts.ask("POST", "/auth/send-verification-email", { body: { email } });

  const known = await ask(addressOf("Ada"));
  const unknown = await ask("nobody@example.com");

  expect([known.status, known.body]).toEqual([200, { status: true }]);
  expect([unknown.status, unknown.body]).toEqual([200, { status: true }]);
  const [mail] = await mails(1);
  const link = linkIn(mail?.text ?? "").replace(/&callbackURL=.*/, "");
  expect(await accounts.ask("GET", link)).toMatchObject({ status: 200, body: { status: true } });
});

test("a forgotten password is replaced by way of a mailed link, once; every session ends, and gateways are notified", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  const cookie = await accounts.signUp("Ada");
  const userId = (await accounts.resolve(cookie))?.userId;
  const ask = (email: string) =>
    accounts.ask("POST", "/auth/request-password-reset", { body: { email, redirectTo: `${publicUrl}/reset` } });

  const known = await ask(addressOf("Ada"));
  const unknown = await ask("nobody@example.com");
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  expect(known).toMatchObject({ status: 200, body: { status: true, message: expect.any(String) } });

  const [mail] = await mails(1);
  expect(mail?.kind).toBe("password-reset");
  const opened = await accounts.ask("GET", linkIn(mail?.text ?? ""));
  expect(opened.status).toBe(302);
  const target = new URL(opened.location ?? "");
  expect(target.origin + target.pathname).toBe(`${publicUrl}/reset`);
  const reset = (newPassword: string) =>
    accounts.ask("POST", "/auth/reset-password", { body: { newPassword, token: target.searchParams.get("token") } });

  expect(await reset("short")).toMatchObject({ status: 400, body: { code: "PASSWORD_TOO_SHORT" } });
  const both = await Promise.all([reset("a fresh password"), reset("a fresh password")]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(both.find(({ status }) => status === 400)?.body.code).toBe("INVALID_TOKEN");
  expect(await accounts.resolve(cookie)).toBeNull();
  expect(await readAnnouncedUsers(database)).toEqual([[userId]]);
  const signIn = (tried: string) =>
    accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf("Ada"), password: tried } });
  expect((await signIn(password)).status).toBe(401);
  expect(sessionCookieOf(await signIn("a fresh password"))).toBeDefined();
});

test("a new password revokes the reset links that were mailed before it", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  const cookie = await accounts.signUp("Ada");
  const reset = (token: string | null) =>
    accounts.ask("POST", "/auth/reset-password", { body: { newPassword: "a fresh password", token } });
  const refused = { status: 400, body: { code: "INVALID_TOKEN" } };
  const [first, second] = [await askForToken(accounts, 1), await askForToken(accounts, 2)];
  await accounts.ask("POST", "/auth/change-password", {
    body: { currentPassword: password, newPassword: "another long one" },
    cookie,
  });
  expect(await reset(first)).toMatchObject(refused);
  const [third, fourth] = [await askForToken(accounts, 3), await askForToken(accounts, 4)];
  expect(await reset(fourth)).toMatchObject({ status: 200 });
  for (const token of [second, third]) expect(await reset(token)).toMatchObject(refused);
});

test("a reset by mail removes the providers that were linked before the address was proven", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  const { userId } = (await accounts.resolve(await accounts.signUp("Ada"))) ?? {};
  const admin = new Client({ connectionString: database.adminUrl });
  cleanups.push(() => admin.end());
  await admin.connect();
  const link = () =>
    admin.query(
      `insert into auth.accounts (id, user_id, account_id, provider_id, created_at, updated_at)
       values (gen_random_uuid(), $1, gen_random_uuid()::text, 'oidc', now(), now())`,
      [userId],
    );
  const resetByMail = async (count: number) => {
    const body = { newPassword: "a fresh password", token: await askForToken(accounts, count) };
    expect((await accounts.ask("POST", "/auth/reset-password", { body })).status).toBe(200);
    const { rows } = await admin.query("select provider_id from auth.accounts where user_id = $1 order by 1", [userId]);
    return rows.map(({ provider_id }) => provider_id);
  };
  await link();
  expect(await resetByMail(1)).toEqual(["credential"]);
  // From now on the address is verified, and a provider is only linked by its owner.
  await link();
  expect(await resetByMail(2)).toEqual(["credential", "oidc"]);
});

test("a reset by mail removes a provider whose account began unverified, even if the address was verified in between", async () => {
  const provider = await startIdentityProvider([
    { id: "oidc", secret: "of this test", redirectUri: `${publicUrl}/api/v1/auth/callback/oidc` },
  ]);
  cleanups.push(() => provider.stop());
  const accounts = await start({
    SERVICE_EMAIL_DEBUG_DIR: folder,
    SERVICE_OIDC_ISSUER: provider.issuer,
    SERVICE_OIDC_CLIENT_ID: "oidc",
    SERVICE_OIDC_CLIENT_SECRET: "of this test",
  });
  const signIn = async (name: string, verified: boolean) => {
    provider.person = { sub: name, claims: { name, email: addressOf(name), email_verified: verified } };
    const begun = await accounts.ask("POST", "/auth/sign-in/oauth2", {
      body: { providerId: "oidc", callbackURL: "/" },
    });
    const { search } = await provider.browse(String(begun.body.url));
    const headers = { cookie: cookiesOf(begun), origin: undefined };
    return sessionCookieOf(await accounts.ask("GET", `/auth/callback/oidc${search}`, { headers }));
  };
  const reset = async (name: string, count: number) => {
    const token = await askForToken(accounts, count, addressOf(name));
    const body = { newPassword: "a fresh password", token };
    expect((await accounts.ask("POST", "/auth/reset-password", { body })).status).toBe(200);
  };
  expect(await signIn("Ada", false)).toBeDefined();
  await accounts.ask("POST", "/auth/send-verification-email", { body: { email: addressOf("Ada") } });
  const [mail] = await mails(1);
  expect((await accounts.ask("GET", linkIn(mail?.text ?? "").replace(/&callbackURL=.*/, ""))).status).toBe(200);

  await reset("Ada", 2);
  expect(await signIn("Ada", false)).toBeUndefined();
  // A provider that verified the address itself is kept.
  expect(await signIn("Grace", true)).toBeDefined();
  await reset("Grace", 3);
  expect(await signIn("Grace", false)).toBeDefined();
});

test("an owner whom strangers lock out of signing in on a new device can sign in after a reset by mail", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  await accounts.signUp("Ada");
  const email = addressOf("Ada");
  const signIn = (cookie: string) =>
    accounts.ask("POST", "/auth/sign-in/email", { body: { email, password: "a fresh password" }, headers: { cookie } });
  const token = await askForToken(accounts, 1);

  const reset = await accounts.ask("POST", "/auth/reset-password", {
    body: { newPassword: "a fresh password", token },
  });
  expect(reset).toMatchObject({ status: 200, body: { status: true } });
  expect(reset.cookies).toEqual([expect.stringMatching(/^touchstone\.device=/)]);
  expect((await signIn("")).status).toBe(200);
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query("update auth.sign_in_attempts set attempts = 900, last_at = now()");
  await admin.end();

  expect((await signIn("")).status).toBe(429);
  expect((await signIn(cookiesOf(reset))).status).toBe(200);
});

test("a reset that cannot end the sessions changes no password", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });
  const cookie = await accounts.signUp("Ada");
  const admin = new Client({ connectionString: database.adminUrl });
  cleanups.push(() => admin.end());
  await admin.connect();
  const reset = async (count: number) => {
    const token = await askForToken(accounts, count);
    return accounts.ask("POST", "/auth/reset-password", { body: { newPassword: "a fresh password", token } });
  };
  const signIn = async (tried: string) =>
    (await accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf("Ada"), password: tried } })).status;
  await admin.query(`
    create function public.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '53100'; end $$;
    create trigger refuse before delete on auth.sessions for each row execute function public.refuse()`);

  expect((await reset(1)).status).toBe(503);
  expect([await signIn(password), await signIn("a fresh password")]).toEqual([200, 401]);
  await admin.query("drop trigger refuse on auth.sessions");
  expect((await reset(2)).status).toBe(200);
  expect([await signIn(password), await signIn("a fresh password")]).toEqual([401, 200]);
  expect(await accounts.resolve(cookie)).toBeNull();
});

test("a token with NUL resets no password, like any other that was not mailed", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });

  const refused = await accounts.ask("POST", "/auth/reset-password", {
    body: { newPassword: "long enough", token: "\u0000" },
  });

  expect(refused).toMatchObject({ status: 400, body: { code: "INVALID_TOKEN" } });
});

test("a reset does not redirect to a page of another origin", async () => {
  const accounts = await start({ SERVICE_EMAIL_DEBUG_DIR: folder });

  const refused = await accounts.ask("POST", "/auth/request-password-reset", {
    body: { email: addressOf("Ada"), redirectTo: "https://evil.example/reset" },
  });

  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ code: "INVALID_REDIRECT_URL" });
});

test("without a way to send mail a reset is refused", async () => {
  const accounts = await start({});

  const refused = await accounts.ask("POST", "/auth/request-password-reset", { body: { email: "a@example.com" } });

  expect(refused).toMatchObject({ status: 400, body: { code: "RESET_PASSWORD_DISABLED" } });
});

test("mail is sent by SMTP, and again when the server was busy", { tags: ["spec:sign-in.email"] }, async () => {
  const received: { to: string[]; text: string }[] = [];
  let refusals = 1;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo(_address, _session, done) {
      refusals -= 1;
      done(refusals < 0 ? null : Object.assign(new Error("busy"), { responseCode: 451 }));
    },
    onData(stream, session, done) {
      let text = "";
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      stream.once("end", () => {
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const accounts = await start({ SERVICE_SMTP_URL: `smtp://127.0.0.1:${port}` });
  await accounts.signUp("Ada");

  await accounts.ask("POST", "/auth/request-password-reset", { body: { email: addressOf("Ada") } });

  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(received[0]?.to).toEqual([addressOf("Ada")]);
  expect(received[0]?.text).toContain("From: Touchstone <touchstone@example.com>");
  expect(received[0]?.text).toContain("/api/v1/auth/reset-password/");
  expect(accounts.logged()).not.toContain(addressOf("Ada"));
});

test("the hosted mail API gets one request, under its key", { tags: ["spec:sign-in.email"] }, async () => {
  const asked: { authorization: string | undefined; body: unknown }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.once("end", () => {
      asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
      response.writeHead(status, { location: "/elsewhere" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const transport = createHostedTransport({
    apiKey: new Secret("re_key"),
    from: "t@example.com",
    url: `http://127.0.0.1:${port}/emails`,
  });
  const mail = { to: "a@example.com", subject: "Hello", text: "Hi", kind: "verification" as const };

  await transport.send(mail);

  expect(asked).toEqual([
    {
      authorization: "Bearer re_key",
      body: { from: "t@example.com", to: ["a@example.com"], subject: "Hello", text: "Hi" },
    },
  ]);
  for (const refusal of [302, 403, 500]) {
    status = refusal;
    const failure = await transport.send(mail).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(failure).toBeInstanceOf(Error);
    // It is logged as a whole.
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain("re_key");
  }
  expect(asked).toHaveLength(4);
});
