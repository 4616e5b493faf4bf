import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger, isAppError, systemClock } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSignInAttempts } from "../src/accounts/sign-in-attempts.ts";
import { sweepExpired } from "../src/maintenance/sweep-expired.ts";
import { addressOf, password, sessionCookieOf, startAccounts, type TestAccounts } from "./test-accounts.ts";

const logger = createLogger({ service: "auth", level: "silent" });
let database: TestDatabase;
let accounts: TestAccounts;
/** As auth itself sees its tables. */
let pool: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  accounts = await startAccounts(database);
  const { app: role } = rolesOf("auth");
  pool = openDatabase({
    url: database.url,
    role,
    applicationName: "auth test",
    connectionsMax: 8,
    statementTimeoutMs: 60_000,
    logger,
  });
});

afterAll(async () => {
  await accounts?.stop();
  await pool?.close();
  await database?.drop();
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await pool.query<Row>({ name: "", text, values })).rows;
}

const signIn = (name: string, tried = password) =>
  accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf(name), password: tried } });

test("a session lasts seven days from the day it was last used on", async () => {
  const cookie = await accounts.signUp("Ada");
  const ask = () => accounts.ask("GET", "/auth/get-session", { cookie });
  const move = (by: string) => query("update auth.sessions set expires_at = now() + $1::interval", [by]);

  // Used again on the same day: nothing is written.
  expect(sessionCookieOf(await ask())).toBeUndefined();
  await move("5 days");
  const refreshed = await ask();

  expect(refreshed.cookies.find((each) => each.includes("session_token"))).toMatch(/Max-Age=604800/);
  expect(await query("select from auth.sessions where expires_at > now() + interval '6 days 23 hours'")).toHaveLength(
    1,
  );
  await move("-1 second");
  expect((await ask()).body).toBeNull();
  expect(await accounts.resolve(cookie)).toBeNull();
});

test("an address that was tried often waits, whether or not there is an account, and the right password ends it", async () => {
  await accounts.signUp("Grace");
  const lastTried = (ago: string) =>
    query("update auth.sign_in_attempts set attempts = 900, last_at = now() - $1::interval", [ago]);
  expect((await signIn("Grace", "wrong guess")).status).toBe(401);
  expect((await signIn("Nobody", "wrong guess")).status).toBe(401);

  await lastTried("-5 minutes");
  for (const name of ["Grace", "GRACE", "Nobody"]) {
    const refused = await signIn(name);
    expect([refused.status, refused.body]).toEqual([429, { statusCode: 429, message: "Too many requests" }]);
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
  }
  // Others do not wait, and nobody waits longer than a minute.
  await accounts.signUp("Mary");
  expect((await signIn("Mary")).status).toBe(200);
  await lastTried("61 seconds");
  expect((await signIn("Grace")).status).toBe(200);
  expect(await query("select attempts from auth.sign_in_attempts")).toEqual([{ attempts: 900 }]);
});

test("five tries are free, then each waits twice as long as the one before, and an hour later all is forgotten", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const attempts = createSignInAttempts({
    database: pool,
    secret: "of this test",
    clock: { ...systemClock, now: () => nowMs },
  });
  /** 0 when it may be tried, else the seconds to wait. */
  const wait = (address = "ada@example.com") =>
    attempts.count(address).then(
      () => 0,
      (thrown) => (isAppError(thrown) ? thrown.retryAfterSeconds : thrown),
    );

  // All at once, however the address is written: they count before a password is looked at.
  const spellings = ["ada@example.com", "ADA@example.com", " ada@example.com", "Ada@Example.com "];
  const tries = await Promise.all([...spellings, ...spellings].map(wait));
  expect(tries.sort()).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(await wait()).toBe(seconds);
    nowMs += seconds * 1000 - 1;
    expect(await wait()).toBe(1);
    nowMs += 1;
    expect(await wait()).toBe(0);
  }
  expect(await wait("grace@example.com")).toBe(0);

  nowMs += 60 * 60 * 1000 + 1;
  for (const _try of [1, 2, 3, 4, 5]) expect(await wait()).toBe(0);
  expect(await wait()).toBe(1);
  await attempts.forget("Ada@example.com");
  expect(await wait()).toBe(0);
});

test("sessions, tokens and counts that are over are swept by every replica, and nothing else", async () => {
  const cookie = await accounts.signUp("Barbara");
  await query("delete from auth.sign_in_attempts");
  await query("delete from auth.sessions where user_id <> (select id from auth.users where name = 'Barbara')");
  await query(`
    insert into auth.sessions (id, user_id, token, expires_at, created_at, updated_at)
    select gen_random_uuid(), users.id, 'over ' || n, now() - interval '1 minute', now(), now()
    from auth.users, generate_series(1, 2500) n
    where name = 'Barbara'`);
  await query(`
    insert into auth.verifications (id, identifier, value, expires_at, created_at, updated_at) values
      ('over', 'a', 'b', now() - interval '1 minute', now(), now()),
      ('good', 'a', 'b', now() + interval '1 hour', now(), now())`);
  await query(`
    insert into auth.sign_in_attempts (address_hash, attempts, last_at) values
      ('over', 9, now() - interval '2 hours'), ('good', 9, now() - interval '10 minutes')`);
  const sweepers = [1, 2].map(() => sweepExpired({ database: pool, clock: systemClock, logger }));

  const removed = await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
  await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));

  // What one has in hand the other passes over, and each row goes once.
  expect(removed.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(2502);
  expect(await query("select from auth.sessions")).toHaveLength(1);
  expect(await accounts.resolve(cookie)).not.toBeNull();
  expect(await query("select id from auth.verifications")).toEqual([{ id: "good" }]);
  expect(
    await query("select attempts, last_at < now() - interval '1 hour' as over from auth.sign_in_attempts"),
  ).toEqual([{ attempts: 9, over: false }]);
  await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
});

test("a changed password ends the other sessions unless told not to, and keeps who changed it signed in", async () => {
  const other = await accounts.signUp("Hedy");
  const cookie = sessionCookieOf(await signIn("Hedy"));
  const change = (revokeOtherSessions: boolean | undefined, currentPassword: string, newPassword: string) =>
    accounts.ask("POST", "/auth/change-password", {
      cookie,
      body: { currentPassword, newPassword, revokeOtherSessions },
    });

  expect((await change(false, password, "the second long one")).status).toBe(200);
  expect(await accounts.resolve(other)).not.toBeNull();
  const changed = await change(undefined, "the second long one", "the third long one");

  expect(changed.status).toBe(200);
  expect(await accounts.resolve(other)).toBeNull();
  expect(await accounts.resolve(cookie ?? "")).toBeNull();
  expect(await accounts.resolve(sessionCookieOf(changed) ?? "")).not.toBeNull();
});
