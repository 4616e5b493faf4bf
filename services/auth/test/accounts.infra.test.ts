import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addressOf, password, sessionCookieOf, startAccounts, type TestAccounts } from "./test-accounts.ts";

let database: TestDatabase;
const running: TestAccounts[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((accounts) => accounts.stop()));
  await database.drop();
});

async function start(...options: [Record<string, string>?, Parameters<typeof startAccounts>[2]?]) {
  const accounts = await startAccounts(database, ...options);
  running.push(accounts);
  return accounts;
}

async function query<Row>(text: string): Promise<Row[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** The log, oldest first. */
const acts = () =>
  query<Record<string, unknown>>(`
    select action, organization_id, project_id, actor_type, actor_id, target_id, request_id, details
    from auth.audit_events
    order by id`);

const multiTenant = (config: Parameters<NonNullable<Parameters<typeof startAccounts>[2]>>[0]) => ({
  ...config,
  accounts: config.accounts && { ...config.accounts, multiTenant: true },
});

test("a new account is signed in by a token, and by a cookie for seven days", async () => {
  const accounts = await start();

  // Blanks around the name, and a picture that this API does not offer, are not stored.
  const answer = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: " Ada ", email: "Ada@Example.com", password, image: "https://example.com/\u0000.png" },
  });

  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    token: expect.any(String),
    user: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: "ada@example.com",
      name: "Ada",
      image: null,
      emailVerified: false,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    },
  });
  const [cookie = ""] = answer.cookies;
  expect(cookie).toMatch(/^touchstone\.session_token=/);
  const attributes = cookie.split("; ").slice(1);
  expect(attributes).toEqual(
    expect.arrayContaining(["Max-Age=604800", "Path=/", "HttpOnly", expect.stringMatching(/^SameSite=Lax$/i)]),
  );
  expect(attributes).not.toContain("Secure");
});

test("on https the cookie is Secure and has the prefix", async () => {
  const accounts = await start({ SERVICE_PUBLIC_URL: "https://touchstone.example.com" });

  const { cookies } = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: "Ada", email: addressOf("Ada"), password },
  });

  expect(cookies[0]).toMatch(/^__Secure-touchstone\.session_token=/);
  expect(cookies[0]?.split("; ")).toContain("Secure");
});

test("a session can be read, survives a restart, and ends with the sign-out", async () => {
  const first = await start();
  const cookie = await first.signUp("Ada");
  await running.pop()?.stop();
  const accounts = await start();

  const { body } = await accounts.ask("GET", "/auth/get-session", { cookie });
  expect(body).toEqual({
    session: {
      id: expect.any(String),
      userId: expect.any(String),
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      ipAddress: "192.0.2.7",
      userAgent: "a browser",
      token: expect.any(String),
      activeOrganizationId: null,
    },
    user: expect.objectContaining({ email: addressOf("Ada") }),
  });

  const out = await accounts.ask("POST", "/auth/sign-out", { cookie, body: {} });
  expect([out.status, out.body]).toEqual([200, { success: true }]);
  expect(out.cookies.find((each) => each.startsWith("touchstone.session_token="))).toMatch(/Max-Age=0/);
  expect((await accounts.ask("GET", "/auth/get-session", { cookie })).body).toBeNull();
  expect(await accounts.resolve(cookie)).toBeNull();
});

test("the right password signs in; a wrong one and an unknown address get the same answer", async () => {
  const accounts = await start();
  await accounts.signUp("Ada");
  const signIn = (email: string, tried: string) =>
    accounts.ask("POST", "/auth/sign-in/email", { body: { email, password: tried } });

  const good = await signIn(addressOf("Ada"), password);
  const wrong = await signIn(addressOf("Ada"), "something else");
  const unknown = await signIn("nobody@example.com", password);

  expect(good.status).toBe(200);
  expect(good.body).toMatchObject({ redirect: false, token: expect.any(String), user: { name: "Ada" } });
  expect(await accounts.resolve(sessionCookieOf(good) as string)).not.toBeNull();
  for (const refused of [wrong, unknown]) {
    expect(refused.status).toBe(401);
    expect(refused.body).toEqual({ code: "INVALID_EMAIL_OR_PASSWORD", message: expect.any(String) });
    expect(refused.cookies).toEqual([]);
  }
});

test.each([
  ["a short password", { password: "seven77" }, 400, "PASSWORD_TOO_SHORT"],
  ["a long password", { password: "x".repeat(129) }, 400, "PASSWORD_TOO_LONG"],
  ["a wrong address", { email: "nonsense" }, 400, "VALIDATION_ERROR"],
  ["no name", { name: undefined }, 400, "VALIDATION_ERROR"],
  ["an empty name", { name: "" }, 400, "VALIDATION_ERROR"],
  ["a name of blanks", { name: " \t" }, 400, "VALIDATION_ERROR"],
  ["a name with NUL", { name: "a\u0000" }, 400, "VALIDATION_ERROR"],
  ["a name of 201 characters", { name: "x".repeat(201) }, 400, "VALIDATION_ERROR"],
  ["a known address", { email: "ADA@example.com" }, 422, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"],
])("a sign-up with %s is refused", async (_what, change, status, code) => {
  const accounts = await start();
  await accounts.signUp("Ada");

  const refused = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: "Grace", email: addressOf("Grace"), password, ...change },
  });

  expect(refused.status).toBe(status);
  expect(refused.body).toMatchObject({ code, message: expect.any(String) });
  if (code === "VALIDATION_ERROR") expect(refused.body.message).toMatch(/^\[body\.(email|name)\]/);
  expect(await query("select from auth.users")).toHaveLength(1);
});

test("a body that is not JSON is refused in the envelope of the sign-in routes", async () => {
  const accounts = await start();

  const refused = await accounts.ask("POST", "/auth/sign-in/email", { body: "{" });

  expect(refused.status).toBe(400);
  expect(refused.body).toEqual({ code: "BAD_REQUEST", message: expect.any(String) });
});

test("other routes of the accounts library do not exist", async () => {
  const accounts = await start();
  const cookie = await accounts.signUp("Ada");

  for (const path of ["/auth/update-user", "/auth/delete-user", "/auth/list-sessions", "/auth/ok", "/auth/error"]) {
    for (const method of ["GET", "POST"]) {
      const answer = await accounts.ask(method, path, { cookie, ...(method === "POST" && { body: {} }) });
      expect([answer.status, answer.body], path).toEqual([404, { statusCode: 404, message: "Not found" }]);
    }
  }
});

test("the first account owns a new organization and every existing project", {
  tags: ["spec:mode.multi-user"],
}, async () => {
  const accounts = await start();
  await query(
    "insert into auth.projects (id, name, created_at) select gen_random_uuid(), name, now() from unnest(array['weather', 'news']) as made (name)",
  );
  expect((await accounts.ask("GET", "/auth/config")).body).toEqual({
    mode: "enabled",
    version: "0.1.0",
    needsSetup: true,
    socialProviders: [],
    emailEnabled: false,
    verificationRequired: false,
    oidc: null,
    multiTenant: false,
    openSignup: false,
  });

  const owner = await accounts.resolve(await accounts.signUp("Ada"));
  const later = await accounts.resolve(await accounts.signUp("Grace"));

  expect(owner?.memberships).toEqual([{ organizationId: expect.any(String), role: "owner" }]);
  expect(owner?.projects).toHaveLength(3);
  expect(await query("select from auth.projects where organization_id is null")).toEqual([]);
  expect(later).toMatchObject({ memberships: [], projects: [] });
  expect(await query("select name from auth.organizations")).toEqual([{ name: "Ada's Workspace" }]);
  expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({ needsSetup: false });
  const organizationId = owner?.memberships[0]?.organizationId;
  expect(await acts()).toEqual([
    {
      ...{ action: "organization.created", organization_id: organizationId, project_id: null },
      ...{ actor_type: "user", actor_id: owner?.userId, target_id: null, request_id: "request-1" },
      details: { name: "Ada's Workspace", owner: addressOf("Ada"), projectsTaken: 3 },
    },
  ]);
});

test("of fifty concurrent first sign-ups exactly one becomes the owner, and no account is half created", async () => {
  const accounts = await start();
  const names = Array.from({ length: 50 }, (_, index) => `user${index}`);

  const cookies = await Promise.all(names.map((name) => accounts.signUp(name)));

  const owners = await query<{ role: string; organization_id: string }>(
    "select role, organization_id from auth.members",
  );
  expect(owners).toEqual([{ role: "owner", organization_id: expect.any(String) }]);
  expect(await query("select id from auth.organizations")).toHaveLength(1);
  expect(await query("select organization_id from auth.projects")).toEqual([
    { organization_id: owners[0]?.organization_id },
  ]);
  expect(await query("select user_id from auth.accounts where password is not null")).toHaveLength(50);
  const sessions = await Promise.all(cookies.map((cookie) => accounts.resolve(cookie)));
  expect(sessions.filter((session) => session?.projects.length === 1)).toHaveLength(1);
});

test("one address signs up once, however many try at once", async () => {
  const accounts = await start();

  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      accounts.ask("POST", "/auth/sign-up/email", { body: { name: "Ada", email: addressOf("Ada"), password } }),
    ),
  );

  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(422)]);
  const refused = answers.filter(({ status }) => status === 422).map(({ body }) => body.code);
  expect(new Set(refused)).toEqual(new Set(["USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"]));
  expect(await query("select from auth.members")).toHaveLength(1);
});

test("an account whose membership cannot be stored is not created", async () => {
  const accounts = await start();
  await query("alter table auth.members add constraint nobody check (false) not valid");

  const refused = await accounts.ask("POST", "/auth/sign-up/email", {
    body: { name: "Ada", email: addressOf("Ada"), password },
  });

  expect(refused.status).toBeGreaterThanOrEqual(400);
  for (const table of ["users", "installation", "audit_events"]) {
    expect(await query(`select from auth.${table}`), table).toEqual([]);
  }
});

test("under open sign-up the config shows it, and later accounts are members of the same organization", {
  tags: ["spec:mode.multi-user"],
}, async () => {
  const accounts = await start({ SERVICE_OPEN_SIGNUP: "true" });
  const owner = await accounts.resolve(await accounts.signUp("Ada"));
  const later = await accounts.resolve(await accounts.signUp("Grace"));

  expect(later?.memberships).toEqual([{ organizationId: owner?.memberships[0]?.organizationId, role: "member" }]);
  expect(later?.projects).toEqual(owner?.projects);
  expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({ mode: "enabled", openSignup: true });
  const [membership] = await query<{ id: string }>(`select id from auth.members where user_id = '${later?.userId}'`);
  expect(await acts()).toEqual([
    expect.objectContaining({ action: "organization.created", actor_id: owner?.userId }),
    expect.objectContaining({
      ...{ action: "member.joined", actor_id: later?.userId, target_id: membership?.id },
      organization_id: owner?.memberships[0]?.organizationId,
      details: { email: addressOf("Grace"), role: "member" },
    }),
  ]);
});

test("in multi-tenant mode each account has an organization and a project", {
  tags: ["spec:mode.multi-tenant"],
}, async () => {
  const accounts = await start({}, multiTenant);
  const ada = await accounts.resolve(await accounts.signUp("Ada"));
  const grace = await accounts.resolve(await accounts.signUp("Grace"));

  for (const tenant of [ada, grace]) {
    expect(tenant?.memberships).toEqual([{ organizationId: expect.any(String), role: "owner" }]);
    expect(tenant?.projects).toHaveLength(1);
  }
  expect(ada?.projects[0]?.projectId).not.toBe(grace?.projects[0]?.projectId);
  const { body } = await accounts.ask("GET", "/projects", { userId: grace?.userId as string });
  expect(body.projects).toEqual([
    expect.objectContaining({
      _id: grace?.projects[0]?.projectId,
      name: "Default",
      isDefault: true,
      organizationId: grace?.memberships[0]?.organizationId,
    }),
  ]);
  expect(await query("select name from auth.organizations order by id")).toEqual([
    { name: "Ada's Workspace" },
    { name: "Grace's Workspace" },
  ]);
  for (const tenant of [ada, grace]) {
    const own = (await acts()).filter(({ actor_id }) => actor_id === tenant?.userId);
    expect(own).toMatchObject([
      { action: "organization.created", organization_id: tenant?.memberships[0]?.organizationId, project_id: null },
      { action: "project.created", project_id: tenant?.projects[0]?.projectId, details: { name: "Default" } },
    ]);
  }
});

test("projects are listed and created for the signed-in user, in one of the user's organizations", async () => {
  const accounts = await start();
  const ada = await accounts.resolve(await accounts.signUp("Ada"));
  const grace = await accounts.resolve(await accounts.signUp("Grace"));
  const [membership] = ada?.memberships ?? [];
  const make = (userId: string | undefined, body: object) =>
    accounts.ask("POST", "/projects", { body, ...(userId && { userId }) });

  expect((await accounts.ask("GET", "/projects")).body).toEqual({ error: "Sign in to list projects" });
  expect(await make(undefined, { name: "x" })).toMatchObject({
    status: 401,
    body: { error: "Sign in to create a project" },
  });
  expect(await make(grace?.userId, { name: "x" })).toMatchObject({
    status: 403,
    body: { error: "No organization membership" },
  });
  expect(await make(ada?.userId, {})).toMatchObject({ status: 400, body: { error: "name is required" } });
  expect(await make(ada?.userId, { name: "x", organizationId: crypto.randomUUID() })).toMatchObject({ status: 403 });
  const made = await make(ada?.userId, { name: "second", organizationId: membership?.organizationId });
  expect(made).toMatchObject({ status: 201, body: { project: { name: "second", apiKey: expect.any(String) } } });

  const adas = await accounts.ask("GET", "/projects", { userId: ada?.userId as string });
  expect((adas.body.projects as { name: string }[]).map(({ name }) => name)).toEqual(["Default", "second"]);
  const graces = await accounts.ask("GET", "/projects", { userId: grace?.userId as string });
  expect(graces.body).toEqual({ projects: [] });
});

test("a changed password is valid at once, and ends the other sessions on request", async () => {
  const accounts = await start();
  const other = await accounts.signUp("Ada");
  const signIn = (tried: string) =>
    accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf("Ada"), password: tried } });
  const cookie = sessionCookieOf(await signIn(password));
  const change = (currentPassword: string) =>
    accounts.ask("POST", "/auth/change-password", {
      cookie,
      body: { currentPassword, newPassword: "another long one", revokeOtherSessions: true },
    });

  expect(await change("wrong password")).toMatchObject({ status: 400, body: { code: "INVALID_PASSWORD" } });
  const changed = await change(password);

  expect(changed.status).toBe(200);
  expect(await accounts.resolve(other)).toBeNull();
  expect((await signIn(password)).status).toBe(401);
  expect((await signIn("another long one")).status).toBe(200);
});

test("a forged or changed cookie is refused", async () => {
  const accounts = await start();
  const cookie = await accounts.signUp("Ada");
  const [token, signature] = decodeURIComponent(cookie).split(".") as [string, string];

  const forged = [
    token,
    `${token}.`,
    `${token}.${signature.slice(0, -4)}AAA=`,
    `${token.slice(0, -1)}${token.endsWith("x") ? "y" : "x"}.${signature}`,
    "",
    ".",
    "%00",
  ];
  for (const value of forged) expect(await accounts.resolve(encodeURIComponent(value)), value).toBeNull();
  expect(await accounts.resolve(cookie)).not.toBeNull();
});

test("no password, token or address is logged", async () => {
  const accounts = await start();
  const cookie = await accounts.signUp("Canary");
  await accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf("Canary"), password: "wrong canary" } });
  await accounts.ask("POST", "/auth/sign-up/email", { body: { name: "C", email: addressOf("Canary"), password } });

  expect(accounts.logged()).not.toContain(password);
  expect(accounts.logged()).not.toContain("wrong canary");
  expect(accounts.logged()).not.toContain(addressOf("Canary"));
  expect(accounts.logged()).not.toContain(cookie.slice(0, 20));
  expect(accounts.logged()).not.toBe("");
});
