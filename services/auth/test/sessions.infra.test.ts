import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, openCommitRefusal, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweepExpired } from "../src/accounts/sweep-expired.ts";
import {
  addressOf,
  password,
  readAnnouncedUsers,
  sessionCookieOf,
  startAccounts,
  type TestAccounts,
} from "./test-accounts.ts";

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
  const sweepers = [1, 2].map(() => sweepExpired({ database: pool, logger }));

  const removed = await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
  await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));

  // Each skips the rows that the other has locked, and each row is deleted once.
  expect(removed.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(2502);
  expect(await query("select from auth.sessions")).toHaveLength(1);
  expect(await accounts.resolve(cookie)).not.toBeNull();
  expect(await query("select id from auth.verifications")).toEqual([{ id: "good" }]);
  expect(
    await query("select attempts, last_at < now() - interval '1 hour' as over from auth.sign_in_attempts"),
  ).toEqual([{ attempts: 9, over: false }]);
  await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
});

test("a changed password ends the other sessions by default, notifies the gateways, and keeps the user signed in", async () => {
  const other = await accounts.signUp("Hedy");
  const userId = (await accounts.resolve(other))?.userId;
  const cookie = sessionCookieOf(await signIn("Hedy"));
  const change = (revokeOtherSessions: boolean | undefined, currentPassword: string, newPassword: string) =>
    accounts.ask("POST", "/auth/change-password", {
      cookie,
      body: { currentPassword, newPassword, revokeOtherSessions },
    });

  expect((await change(false, password, "the second long one")).status).toBe(200);
  expect(await accounts.resolve(other)).not.toBeNull();
  expect(await readAnnouncedUsers(database)).toEqual([]);
  const changed = await change(undefined, "the second long one", "the third long one");

  expect(changed.status).toBe(200);
  expect(await readAnnouncedUsers(database)).toEqual([[userId]]);
  expect(await accounts.resolve(other)).toBeNull();
  expect(await accounts.resolve(cookie ?? "")).toBeNull();
  expect(await accounts.resolve(sessionCookieOf(changed) ?? "")).not.toBeNull();
});

test("a sign-out whose session could not be deleted is 503, and a retry ends the session", async () => {
  const cookie = await accounts.signUp("Grace");
  const signOut = () => accounts.ask("POST", "/auth/sign-out", { cookie, body: {} });
  const refusal = await openCommitRefusal(database.adminUrl, "auth");
  try {
    await refusal.refuse("53100");
    const refused = await signOut();
    expect([refused.status, refused.cookies]).toEqual([503, []]);
    expect(await accounts.resolve(cookie)).not.toBeNull();
    await refusal.refuse(null);
    expect((await signOut()).status).toBe(200);
    expect(await accounts.resolve(cookie)).toBeNull();
  } finally {
    await refusal.refuse(null);
    await refusal.close();
  }
});
