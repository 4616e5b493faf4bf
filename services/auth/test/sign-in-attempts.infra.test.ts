import { createHmac } from "node:crypto";
import { clientAddressHeader } from "@touchstone/contracts";
import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger, isAppError, systemClock } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Attempter, createSignInAttempts } from "../src/accounts/sign-in-attempts.ts";
import {
  type AccountAnswer,
  addressOf,
  password,
  sessionCookieOf,
  startAccounts,
  type TestAccounts,
} from "./test-accounts.ts";

let database: TestDatabase;
let accounts: TestAccounts;
/** As auth itself sees its tables. */
let pool: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  accounts = await startAccounts(database);
  pool = openDatabase({
    url: database.url,
    role: rolesOf("auth").app,
    applicationName: "auth test",
    connectionsMax: 8,
    statementTimeoutMs: 60_000,
    logger: createLogger({ service: "auth", level: "silent" }),
  });
});

beforeEach(async () => {
  await query("delete from auth.sign_in_attempts");
});

afterAll(async () => {
  await accounts?.stop();
  await pool?.close();
  await database?.drop();
});

const query = (text: string, values: unknown[] = []) => pool.query({ name: "", text, values });

const home = "192.0.2.7";
const stranger = "203.0.113.1";

function signIn(name: string, tried: string, { from = home, cookie = "" } = {}): Promise<AccountAnswer> {
  return accounts.ask("POST", "/auth/sign-in/email", {
    body: { email: addressOf(name), password: tried },
    headers: { [clientAddressHeader]: from, ...(cookie !== "" && { cookie }) },
  });
}

/** A stranger tries wrong passwords until each attempt waits a minute. */
async function guess(name: string): Promise<void> {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429) {
    statuses.push((await signIn(name, `guess ${statuses.length}`, { from: stranger })).status);
  }
  expect(statuses.slice(0, -1)).toEqual(Array(statuses.length - 1).fill(401));
  expect(statuses.length).toBeGreaterThan(5);
  await query("update auth.sign_in_attempts set attempts = 900, last_at = now() where attempts >= 5");
}

/** Strangers with many addresses have tried so often that every client but known devices has to wait. */
async function guessFromEverywhere(name: string): Promise<void> {
  expect((await signIn(name, "a guess", { from: "203.0.113.99" })).status).toBe(401);
  await query("update auth.sign_in_attempts set attempts = 900, last_at = now()");
}

/** The device's cookie as a browser sends it back; empty when an answer sets none. */
function deviceOf({ cookies }: AccountAnswer): string {
  return cookies.find((cookie) => cookie.startsWith("touchstone.device="))?.split(";")[0] ?? "";
}

const refusal = { status: 429, body: { statusCode: 429, message: "Too many requests" } };

test("strangers who guess a password have to wait, and its owner signs in: on a known device, and repeatedly at a new place", async () => {
  await accounts.signUp("Ada");
  const known = deviceOf(await signIn("Ada", password));
  await guess("Ada");

  for (let time = 0; time < 3; time += 1) {
    expect((await signIn("Ada", "another guess", { from: stranger })).status).toBe(429);
    expect((await signIn("Ada", password, { from: "198.51.100.9" })).status).toBe(200);
  }
  // From the stranger's own address only the cookie tells them apart.
  expect(await signIn("Ada", password, { from: stranger })).toMatchObject(refusal);
  expect((await signIn("Ada", password, { from: stranger, cookie: known })).status).toBe(200);

  await guessFromEverywhere("Ada");
  expect(await signIn("Ada", password)).toMatchObject(refusal);
  expect((await signIn("Ada", password, { cookie: known })).status).toBe(200);
});

test("an account that does not exist gives the same answers as an existing one, also during an attack", async () => {
  await accounts.signUp("Barbara");
  const known = deviceOf(await signIn("Barbara", password));
  const heard: unknown[][] = [];
  for (const name of ["Barbara", "Nobody"]) {
    await query("delete from auth.sign_in_attempts");
    const answers = [
      await signIn(name, "a guess", { from: stranger }),
      await signIn(name, "a guess", { from: "2001:db8::1" }),
      // Of an account that has no such device.
      await signIn(name, "a guess", { from: home, cookie: name === "Barbara" ? `${known}x` : known }),
    ];
    await query("update auth.sign_in_attempts set attempts = 900, last_at = now()");
    // Addresses of one network are one client.
    for (const from of [stranger, "2001:db8::2", "198.51.100.9"]) answers.push(await signIn(name, "a guess", { from }));
    heard.push(answers.map(({ status, body, cookies }) => [status, body, cookies]));
  }

  expect(heard[1]).toEqual(heard[0]);
  expect(heard[0]?.map((answer) => (answer as [number])[0])).toEqual([401, 401, 401, 429, 429, 429]);
});

test("a device cookie contains no name, grants no access, and is valid for one account for half a year", async () => {
  await accounts.signUp("Dorothy");
  const answer = await signIn("Dorothy", password);
  const [cookie = ""] = answer.cookies.filter((each) => each.startsWith("touchstone.device="));
  expect(cookie.split("; ").slice(1)).toEqual(["Max-Age=15552000", "Path=/api/v1/auth", "HttpOnly", "SameSite=Lax"]);
  const known = deviceOf(answer);
  expect((await accounts.ask("GET", "/auth/get-session", { headers: { cookie: known } })).body).toBeNull();

  // A device that signs in again keeps its id, another one has another.
  const nameOf = (device: string) => /=([^.]+)\./.exec(device)?.[1];
  const again = deviceOf(await signIn("Dorothy", password, { cookie: known }));
  expect(nameOf(again)).toBe(nameOf(known));
  const signedUp = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: "Sister", email: addressOf("Sister"), password },
  });
  expect(nameOf(deviceOf(signedUp))).toHaveLength(22);
  await guessFromEverywhere("Dorothy");
  const [device, expiresAt, signature] = known.split(".").slice(-3) as [string, string, string];
  const forged = [
    deviceOf(signedUp),
    `touchstone.${device}.${Number(expiresAt) + 1}.${signature}`,
    `touchstone.${device}.1.${signature}`,
    `${known.slice(0, -3)}AAA`,
    "touchstone.device=",
    "touchstone.device=a.b.c",
  ];
  for (const each of forged) expect(await signIn("Dorothy", password, { cookie: each }), each).toMatchObject(refusal);
  expect((await signIn("Dorothy", password, { cookie: again })).status).toBe(200);
});

test("an address with NUL is refused as no address, also from a device that claims to be known", async () => {
  const forged = `touchstone.device=${"a".repeat(22)}.9999999999.${"a".repeat(43)}`;

  const refused = await accounts.ask("POST", "/auth/sign-in/email", {
    body: { email: "a\u0000@example.com", password },
    headers: { cookie: forged },
  });

  expect(refused).toMatchObject({ status: 400, body: { code: "INVALID_EMAIL" } });
});

test("a changed password makes every other device unknown, and the one it was changed on known", async () => {
  await accounts.signUp("Radia");
  const signedIn = await signIn("Radia", password);
  const changed = await accounts.ask("POST", "/auth/change-password", {
    body: { currentPassword: password, newPassword: "another long one" },
    headers: { cookie: `touchstone.session_token=${sessionCookieOf(signedIn)}` },
  });
  expect(changed.status).toBe(200);
  await guessFromEverywhere("Radia");

  const retry = (cookie: string) => signIn("Radia", "another long one", { from: stranger, cookie });
  expect(await retry(deviceOf(signedIn))).toMatchObject(refusal);
  expect((await retry(deviceOf(changed))).status).toBe(200);
});

test("guesses at the present password of a password change wait, and do not delay the owner's sign-in", async () => {
  const cookie = await accounts.signUp("Hedy");
  const change = (currentPassword: string) =>
    accounts.ask("POST", "/auth/change-password", {
      body: { currentPassword, newPassword: "another long one" },
      cookie,
    });
  const answers: AccountAnswer[] = [];
  // On a busy machine a guess may take longer than the first waits.
  while (answers.at(-1)?.status !== 429) answers.push(await change("a guess"));

  expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect(answers.at(-1)).toMatchObject({ ...refusal, retryAfter: expect.any(String) });
  await query("update auth.sign_in_attempts set attempts = 900, last_at = now()");
  expect(await change(password)).toMatchObject(refusal);
  expect((await signIn("Hedy", password)).status).toBe(200);

  // A change resets the counter.
  await query("delete from auth.sign_in_attempts");
  expect((await change("a guess")).status).toBe(400);
  expect((await change(password)).status).toBe(200);
  expect((await query("select from auth.sign_in_attempts")).rows).toEqual([]);
});

test("the owner can delete an account while strangers guess its password", async () => {
  const user = await accounts.resolve(await accounts.signUp("Frances"));
  await guessFromEverywhere("Frances");

  const remove = (tried: string) =>
    accounts.ask("DELETE", "/auth-org/account", {
      userId: user?.userId as string,
      body: { confirmEmail: addressOf("Frances"), password: tried },
    });
  expect(await remove("wrong")).toMatchObject({ status: 400, body: { error: "The password is wrong" } });
  // The first account owns an organization, so that it cannot go.
  expect([200, 409]).toContain((await remove(password)).status);
});

/** Attempts at times that the test sets: `wait` answers 0 if a password may be tried, else the seconds to wait. */
function startCounting() {
  let nowMs = Date.UTC(2026, 0, 1);
  const attempts = createSignInAttempts({
    database: pool,
    secret: "of this test",
    clock: { ...systemClock, now: () => nowMs },
  });
  return {
    attempts,
    pass: (ms: number) => {
      nowMs += ms;
    },
    wait: (by: Attempter, address = "ada@example.com"): Promise<number> =>
      attempts.count(address, by).then(
        () => 0,
        (thrown) => (isAppError(thrown) ? (thrown.retryAfterSeconds ?? 0) : Promise.reject(thrown)),
      ),
  };
}

test.each<[what: string, by: Attempter]>([
  ["a client", { client: home }],
  ["a known device", { device: "a phone" }],
])(
  "five attempts of %s are free, then each waits twice as long as the one before, and after an hour all are free again",
  async (_what, by) => {
    const { attempts, pass, wait } = startCounting();
    // All at once, however the address is written: they count before a password is looked at.
    const spellings = ["ada@example.com", "ADA@example.com", " ada@example.com", "Ada@Example.com "];
    const tries = await Promise.all([...spellings, ...spellings].map((address) => wait(by, address)));
    expect(tries.sort()).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(await wait(by)).toBe(seconds);
      pass(seconds * 1000 - 1);
      expect(await wait(by)).toBe(1);
      pass(1);
      expect(await wait(by)).toBe(0);
    }
    expect(await wait(by, "grace@example.com")).toBe(0);

    pass(60 * 60 * 1000 + 1);
    for (const _try of [1, 2, 3, 4]) expect(await wait(by)).toBe(0);
    const counted = await attempts.count("ada@example.com", by);
    expect(await wait(by)).toBe(1);
    await counted.wasRight();
    expect(await wait(by)).toBe(0);
  },
);

test("a known device that guesses delays no other client", async () => {
  const { wait } = startCounting();
  while ((await wait({ device: "a phone" })) === 0);
  for (const by of [{ device: "a laptop" }, { client: home }]) expect(await wait(by)).toBe(0);
});

test("guessing from any number of addresses is no faster than an attempt a minute, once the first ones are used up", async () => {
  const { pass, wait } = startCounting();
  let looked = 0;
  const minutes = 90;
  for (let client = 0; client < minutes * 2; client += 1) {
    // A new address each time, and a repeated one.
    for (const by of [{ client: `new ${client}` }, { client: `old ${client % 10}` }]) {
      if ((await wait(by)) === 0) looked += 1;
    }
    pass(30_000);
  }

  expect(looked).toBeLessThanOrEqual(30 + 5 + minutes + 15);
  expect(await wait({ device: "a phone" })).toBe(0);
});

test("a right password and another attempt of the same client do not deadlock", async () => {
  const { attempts } = startCounting();
  const counted = await attempts.count("ada@example.com", { client: home });
  const keyOf = (what: string) =>
    createHmac("sha256", "of this test")
      .update(JSON.stringify(["sign-in attempts", "ada@example.com", what]))
      .digest();

  const { outcome } = await pool.transaction(async (other) => {
    // The other attempt locks its rows one after the other.
    const count = async (what: string) => {
      const text = `
        update auth.sign_in_attempts set attempts = attempts + 1 where address_hash = $1
        returning pg_backend_pid() as pid`;
      const { rows } = await other.query<{ pid: number }>({ name: "", text, values: [keyOf(what)] });
      return rows[0]?.pid;
    };
    const pid = await count(`client ${home}`);
    const outcome = counted.wasRight().then(
      () => "withdrawn",
      (thrown: unknown) => thrown,
    );
    const waiting = "select from pg_locks where not granted and $1 = any (pg_blocking_pids(pid))";
    await vi.waitFor(async () => expect((await query(waiting, [pid])).rows).toHaveLength(1));
    await count("newcomers");
    await count("all");
    return { outcome };
  });

  expect(await outcome).toBe("withdrawn");
});
