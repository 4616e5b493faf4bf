import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, password, sessionCookieOf, startAccounts, type TestAccounts } from "./test-accounts.ts";
import { pathOf, refused, startTeams, type TestTeams } from "./test-teams.ts";

let database: TestDatabase;
let accounts: TestAccounts;
let teams: TestTeams;

beforeAll(async () => {
  database = await createTestDatabase();
  accounts = await startAccounts(database, { SERVICE_MULTI_TENANT: "false" });
  teams = await startTeams();
  // The first account of an installation owns it; those of the tests come after it.
  await accounts.signUp("First");
});

afterAll(async () => {
  await teams?.stop();
  await accounts?.stop();
  await database?.drop();
});

/** Signs up, and answers how the gateway knows them. */
async function join(name: string): Promise<{ userId: string; email: string; cookie: string }> {
  const cookie = await accounts.signUp(name);
  const session = await accounts.resolve(cookie);
  return { userId: session?.userId ?? "", email: addressOf(name), cookie };
}

test("an account is read without its secrets, and renamed by the rules for names", async () => {
  const { userId, email, cookie } = await join("Nora");
  const own = { _id: userId, name: "Nora", email, emailVerified: false, hasPassword: true };

  expect(await accounts.ask("GET", "/auth-org/account", { userId })).toMatchObject({
    status: 200,
    body: { account: own },
  });
  expect(await accounts.ask("PATCH", "/auth-org/account", { userId, body: { name: "  Nora N. " } })).toMatchObject({
    status: 200,
    body: { account: { ...own, name: "Nora N." } },
  });
  expect(await accounts.ask("PATCH", "/auth-org/account", { userId, body: { name: " " } })).toMatchObject(
    refused(400, "name is required"),
  );
  // The sign-in family's answers have changed as well.
  expect(await accounts.ask("GET", "/auth/get-session", { cookie })).toMatchObject({
    body: { user: { name: "Nora N." } },
  });
});

test("an account can be read and changed only after sign-in", async () => {
  for (const [method, path, sent] of [
    ["GET", "/auth-org/account", {}],
    ["PATCH", "/auth-org/account", { body: {} }],
    ["DELETE", "/auth-org/account", { body: {} }],
    ["GET", "/auth-org/account/sessions", {}],
    ["DELETE", `/auth-org/account/sessions/${crypto.randomUUID()}`, {}],
  ] as const) {
    expect(await accounts.ask(method, path, sent)).toMatchObject(refused(401, "Sign in first"));
  }
});

test("sessions are listed without their tokens, and an ended one opens nothing", async () => {
  const { userId, email, cookie } = await join("Sven");
  const signedIn = await accounts.ask("POST", "/auth/sign-in/email", { body: { email, password } });
  const second = sessionCookieOf(signedIn) ?? "";
  const { body } = await accounts.ask("GET", "/auth-org/account/sessions", { userId });
  const sessions = body.sessions as Record<string, unknown>[];

  expect(sessions).toEqual(
    [1, 2].map(() => ({
      _id: expect.any(String),
      userAgent: "a browser",
      ipAddress: "192.0.2.7",
      createdAt: expect.any(String),
      renewedAt: expect.any(String),
      expiresAt: expect.any(String),
    })),
  );
  const own = await accounts.ask("GET", "/auth/get-session", { cookie: second });
  const current = (own.body.session as { id: string }).id;
  expect(sessions[0]?._id).toBe(current);

  expect(await accounts.ask("DELETE", `/auth-org/account/sessions/${current}`, { userId })).toMatchObject({
    status: 200,
  });
  expect(await accounts.resolve(second)).toBeNull();
  expect(await accounts.resolve(cookie)).toMatchObject({ userId });
  expect(await accounts.ask("DELETE", `/auth-org/account/sessions/${current}`, { userId })).toMatchObject(
    refused(404, "Session not found"),
  );
});

test("another user's session is treated as missing", async () => {
  const [mine, theirs] = [await join("Mona"), await join("Theo")];
  const { body } = await accounts.ask("GET", "/auth-org/account/sessions", { userId: theirs.userId });
  const [session] = body.sessions as { _id: string }[];

  for (const id of [session?._id, "nonsense'"]) {
    expect(await accounts.ask("DELETE", `/auth-org/account/sessions/${id}`, { userId: mine.userId })).toMatchObject(
      refused(404, "Session not found"),
    );
  }
  expect(await accounts.resolve(theirs.cookie)).toMatchObject({ userId: theirs.userId });
});

test("an account is deleted after its address and its password were given, and nothing of it signs in again", async () => {
  const { userId, email, cookie } = await join("Dora");
  const remove = (body: object) => accounts.ask("DELETE", "/auth-org/account", { userId, body });

  expect(await remove({ password })).toMatchObject(
    refused(400, `confirmEmail must be the account's address: ${email}`),
  );
  expect(await remove({ confirmEmail: email })).toMatchObject(refused(400, "password is required"));
  expect(await remove({ confirmEmail: email, password: "not it" })).toMatchObject(
    refused(400, "The password is wrong"),
  );
  expect(await accounts.resolve(cookie)).toMatchObject({ userId });

  expect(await remove({ confirmEmail: ` ${email.toUpperCase()} `, password })).toMatchObject({ status: 200 });
  expect(await accounts.resolve(cookie)).toBeNull();
  expect(await accounts.ask("POST", "/auth/sign-in/email", { body: { email, password } })).toMatchObject({
    status: 401,
  });
  expect(await accounts.ask("GET", "/auth-org/account", { userId })).toMatchObject(refused(401, "Sign in first"));
});

test("guesses at the password of a deletion wait like those of a sign-in", async () => {
  const { userId, email } = await join("Gus");
  const guess = () =>
    accounts.ask("DELETE", "/auth-org/account", { userId, body: { confirmEmail: email, password: "guess" } });
  const statuses: number[] = [];
  for (let tried = 0; tried < 7; tried += 1) statuses.push((await guess()).status);

  expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
  expect(statuses.at(-1)).toBe(429);
});

test("an owner of an organization is asked to delete it first", async () => {
  const owner = await teams.join("Olga");

  expect(await teams.ask(owner, "DELETE", "/auth-org/account", { confirmEmail: owner.email })).toMatchObject({
    status: 409,
    body: { error: "You own Olga's Workspace: delete the organization first" },
  });
});

test("a deleted member leaves their organizations, which have it in the log, and their invitations are withdrawn", async () => {
  const owner = await teams.join("Ada");
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const invited = await teams.invite(lead, "late@example.com", "member", owner);
  const guest = await teams.join("Late");
  expect(await teams.ask(lead, "DELETE", pathOf(lead), { confirmName: "Lin's Workspace" })).toMatchObject({
    status: 200,
  });

  expect(await teams.ask(lead, "DELETE", "/auth-org/account", { confirmEmail: lead.email })).toMatchObject({
    status: 200,
  });

  expect((await teams.listMembers(owner)).map(({ email }) => email)).toEqual([owner.email]);
  expect(await teams.accept(guest, invited.token)).toMatchObject({ status: 404 });
  const { body } = await teams.ask(owner, "GET", `${pathOf(owner)}/audit`);
  expect((body.events as unknown[])[0]).toMatchObject({
    action: "account.deleted",
    actor: { type: "user", id: lead.userId, name: null, email: null },
    details: { email: lead.email, role: "admin", revokedInvitations: 1 },
  });
});

test("the log is narrowed by the action or its kind, and by who acted", async () => {
  const owner = await teams.join("Ida");
  const lead = await teams.joinTeam(owner, "Leo", "admin");
  await teams.invite(lead, "one@example.com", "member", owner);
  const read = async (query: string) =>
    ((await teams.ask(owner, "GET", `${pathOf(owner)}/audit?${query}`)).body.events as { action: string }[]).map(
      ({ action }) => action,
    );

  expect(await read("action=invitation")).toEqual(["invitation.created", "invitation.accepted", "invitation.created"]);
  expect(await read("action=invitation.accepted")).toEqual(["invitation.accepted"]);
  expect(await read("action=invit")).toEqual([]);
  expect(await read(`actorId=${lead.userId}`)).toEqual(["invitation.created", "invitation.accepted"]);
  expect(await read(`actorId=${owner.userId}&action=invitation`)).toEqual(["invitation.created"]);
  expect(await teams.ask(owner, "GET", `${pathOf(owner)}/audit?actorId=me`)).toMatchObject(
    refused(400, "actorId must be the id of a user or project"),
  );
  expect(await teams.ask(owner, "GET", `${pathOf(owner)}/audit?action=%00`)).toMatchObject(
    refused(400, "action must not contain NUL"),
  );
});
