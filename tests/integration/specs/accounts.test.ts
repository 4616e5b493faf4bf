import { connect } from "node:net";
import { type IdentityProvider, startIdentityProvider } from "@touchstone/testkit/identity-provider";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type System, startSystem } from "../src/start-system.ts";
import { waitUntil } from "../src/wait-until.ts";

let system: System;
let provider: IdentityProvider | undefined;
const adminToken = "the operator's token";
const clientSecret = "canary-of-the-client-secret";

beforeAll(async () => {
  system = await startSystem({
    settings: async ({ url }) => {
      const redirectUri = `${url}/api/v1/auth/callback/oidc`;
      provider = await startIdentityProvider([{ id: "touchstone", secret: clientSecret, redirectUri }]);
      return {
        SERVICE_AUTH: "enabled",
        SERVICE_RATE_LIMIT_CREDENTIAL: "1000000",
        SERVICE_ADMIN_TOKEN: adminToken,
        SERVICE_PUBLIC_URL: url,
        SERVICE_OIDC_ISSUER: provider.issuer,
        SERVICE_OIDC_CLIENT_ID: "touchstone",
        SERVICE_OIDC_CLIENT_SECRET: clientSecret,
        SERVICE_OIDC_NAME: "Example Inc.",
      };
    },
  });
});

afterAll(async () => {
  await system?.stop();
  await provider?.stop();
});

interface Answered {
  status: number;
  body: Record<string, unknown>;
  cookie: string | null;
}

const password = "correct horse battery";

/** Sends requests like a browser page of the installation, with its cookie. */
async function browse(
  method: string,
  path: string,
  { cookie, body, headers = {} }: { cookie?: string | null; body?: object; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await fetch(`${system.url}${path}`, {
    method,
    headers: {
      ...(method !== "GET" && { origin: system.url, "content-type": "application/json" }),
      ...(cookie && { cookie: `theme=dark; touchstone.session_token=${cookie}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  const [set] = response.headers.getSetCookie();
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? {} : JSON.parse(text),
    cookie: /session_token=([^;]*)/.exec(set ?? "")?.[1] ?? null,
  };
}

const signUp = (name: string) =>
  browse("POST", "/api/v1/auth/sign-up/email", {
    body: { name, email: `${name.toLowerCase()}@example.com`, password },
  });

interface Project {
  _id: string;
  name: string;
  apiKey: string;
}

async function projectsOf(cookie: string | null): Promise<Project[]> {
  return (await browse("GET", "/projects", { cookie })).body.projects as Project[];
}

const traces = "/api/v1/ingest/traces";

async function record(apiKey: string, name: string): Promise<string> {
  const answer = await browse("POST", traces, { headers: { "x-api-key": apiKey }, body: { name, output: "fine" } });
  expect(answer.status).toBe(201);
  return answer.body.traceId as string;
}

test("an owner signs up, has the existing data, reads traces by cookie, and has no access after the sign-out", {
  tags: ["spec:projects.list", "spec:auth.session"],
}, async () => {
  const { body: config } = await browse("GET", "/api/v1/auth/config");
  expect(config).toMatchObject({ mode: "enabled", needsSetup: true });
  expect(config).not.toHaveProperty("apiKey");

  const { cookie: owner } = await signUp("Ada");
  const { cookie: later } = await signUp("Grace");
  const [project] = await projectsOf(owner);
  expect(project).toMatchObject({ name: "Default", apiKey: expect.stringMatching(/^tsk_/) });
  expect(await projectsOf(later)).toEqual([]);
  const { apiKey = "", _id: projectId = "" } = project ?? {};

  const traceId = await record(apiKey, "weather");
  const listed = await browse("GET", traces, { cookie: owner });
  expect((listed.body.traces as { name: string }[]).map(({ name }) => name)).toEqual(["weather"]);
  expect((await browse("GET", `${traces}?projectId=${projectId}`, { cookie: owner })).status).toBe(200);
  const keyMissing = { status: 401, body: { error: "Invalid or missing API key" } };

  // Other reads require the project's name; a key still works, and takes precedence over a cookie.
  const one = `${traces}/${traceId}`;
  expect(await browse("GET", one, { cookie: owner })).toMatchObject(keyMissing);
  expect((await browse("GET", one, { cookie: owner, headers: { "x-project-id": projectId } })).status).toBe(200);
  expect((await browse("GET", one, { headers: { "x-api-key": apiKey } })).status).toBe(200);
  expect(await browse("GET", traces, { cookie: owner, headers: { "x-api-key": "nonsense" } })).toMatchObject(
    keyMissing,
  );
  // Traces are sent with a key.
  const sent = { cookie: owner, headers: { "x-project-id": projectId }, body: { name: "x" } };
  expect(await browse("POST", traces, sent)).toMatchObject(keyMissing);

  const out = await browse("POST", "/api/v1/auth/sign-out", { cookie: owner, body: {} });
  expect([out.status, out.body, out.cookie]).toEqual([200, { success: true }, ""]);
  expect(await browse("GET", traces, { cookie: owner })).toMatchObject(keyMissing);
  expect(await browse("GET", "/projects", { cookie: owner })).toMatchObject({
    status: 401,
    body: { error: "Sign in to list projects" },
  });
  expect(await browse("GET", "/projects", { headers: { "x-api-key": apiKey } })).toMatchObject({ status: 401 });
});

test("a project of another account, a missing one and an invalid id are the same 404", async () => {
  const { cookie } = await browse("POST", "/api/v1/auth/sign-in/email", {
    body: { email: "grace@example.com", password },
  });
  const { cookie: owner } = await browse("POST", "/api/v1/auth/sign-in/email", {
    body: { email: "ada@example.com", password },
  });
  const [foreign] = await projectsOf(owner);

  for (const id of [foreign?._id, "00000000-0000-7000-8000-000000000001", "nonsense", ""]) {
    expect(await browse("GET", `${traces}?projectId=${id}`, { cookie }), id).toMatchObject({
      status: 404,
      body: { error: "Project not found" },
    });
  }
});

test("a foreign or missing origin cannot use a session or sign in", async () => {
  const signIn = { body: { email: "ada@example.com", password } };
  const { cookie } = await browse("POST", "/api/v1/auth/sign-in/email", signIn);
  const evil = { origin: "https://evil.example" };
  const refused = { status: 403, body: { code: "INVALID_ORIGIN", message: expect.any(String) } };

  expect(await browse("POST", "/projects", { cookie, headers: evil, body: { name: "x" } })).toMatchObject(refused);
  expect(await browse("POST", "/api/v1/auth/sign-out", { cookie, headers: evil, body: {} })).toMatchObject(refused);
  expect(await browse("POST", "/api/v1/auth/sign-in/email", { ...signIn, headers: evil })).toMatchObject(refused);
  expect(await browse("GET", traces, { cookie, headers: evil })).toMatchObject(refused);
  // fetch adds no Origin of its own here, but it cannot omit one that was passed.
  expect(await sendWithoutOrigin(cookie ?? "")).toMatch(/^HTTP\/1\.1 403 [\s\S]*INVALID_ORIGIN/);

  const [project] = await projectsOf(cookie);
  expect(project?.name).toBe("Default");
  const made = await browse("POST", "/projects", { cookie, body: { name: "second" } });
  expect(made).toMatchObject({ status: 201, body: { project: { name: "second" } } });
});

test("no cookie reaches a service of the data plane, and clients cannot set the gateway's internal headers", async () => {
  const answer = await browse("GET", "/api/v1/auth/get-session", {
    headers: { "x-internal-origin": "https://evil.example", "x-internal-client-address": "203.0.113.9" },
  });
  expect([answer.status, answer.body]).toEqual([200, null]);
  const { cookie } = await browse("POST", "/api/v1/auth/sign-in/email", {
    body: { email: "ada@example.com", password },
    headers: { "x-internal-client-address": "203.0.113.9", "x-forwarded-for": "203.0.113.9" },
  });
  const { body } = await browse("GET", "/api/v1/auth/get-session", { cookie });
  expect((body.session as { ipAddress: string }).ipAddress).toBe("127.0.0.1");
});

test("a user who returns from the OpenID Connect provider has a session, only in the browser that started there; no secret of the flow is logged", {
  tags: ["spec:sign-in.oidc"],
}, async () => {
  const { issuer, browse: browseProvider } = provider as IdentityProvider;
  (provider as IdentityProvider).person = {
    sub: "of-the-provider",
    claims: { name: "Hedy", email: "hedy@example.com", email_verified: true },
  };
  expect((await browse("GET", "/api/v1/auth/config")).body).toMatchObject({ oidc: { name: "Example Inc." } });
  const begun = await fetch(`${system.url}/api/v1/auth/sign-in/oauth2`, {
    method: "POST",
    headers: { origin: system.url, "content-type": "application/json" },
    body: JSON.stringify({ providerId: "oidc", callbackURL: "/welcome" }),
  });
  const { url } = (await begun.json()) as { url: string };
  expect(new URL(url).origin).toBe(issuer);
  const cookie = begun.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");

  const back = await browseProvider(url);
  expect(back.origin + back.pathname).toBe(`${system.url}/api/v1/auth/callback/oidc`);
  const comeBack = (headers: Record<string, string>) => fetch(back, { redirect: "manual", headers });
  const elsewhere = await comeBack({});
  expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([
    302,
    expect.stringContaining("state_mismatch"),
  ]);
  const returned = await comeBack({ cookie });

  expect([returned.status, returned.headers.get("location")]).toEqual([302, "/welcome"]);
  const [, session = null] = /session_token=([^;]+)/.exec(returned.headers.getSetCookie().join()) ?? [];
  const { body } = await browse("GET", "/api/v1/auth/get-session", { cookie: session });
  expect(body.user).toMatchObject({ name: "Hedy", email: "hedy@example.com", emailVerified: true });
  // Not the first account, and not invited.
  expect(await projectsOf(session)).toEqual([]);
  const { searchParams } = back;
  const logs = Object.values(system.services)
    .map((service) => service.log())
    .join("");
  for (const secret of [
    clientSecret,
    searchParams.get("code"),
    searchParams.get("state"),
    "hedy@example.com",
    session,
  ]) {
    expect(secret).toEqual(expect.stringMatching(/^.{16,}$/));
    expect(logs).not.toContain(secret);
  }
});

const overview = () => browse("GET", "/api/v1/admin/overview", { headers: { "x-admin-token": adminToken } });

test("the operator sees each organization's objects and usage; everyone else is refused", {
  tags: ["spec:admin.overview", "spec:auth.admin-token"],
}, async () => {
  for (const token of ["", "wrong", `${adminToken} `.repeat(2)]) {
    const refused = await browse("GET", "/api/v1/admin/overview", { headers: { "x-admin-token": token } });
    expect([refused.status, refused.body]).toEqual([401, { error: "Invalid admin token" }]);
  }
  const { status, body } = await overview();

  expect([status, body]).toEqual([
    200,
    {
      organizations: [
        {
          _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: "Ada's Workspace",
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
          members: 1,
          projects: 2,
          judgeCalls24h: 0,
          traces24h: 1,
        },
      ],
      unassigned: { projects: 0, judgeCalls24h: 0 },
    },
  ]);
});

test("GET /admin/audit: lists all administrative actions to the operator, newest first, in pages", async () => {
  type Listed = { events: { _id: string; createdAt: string }[]; nextCursor: string | null };
  const read = async (query = ""): Promise<Listed> => {
    const answer = await browse("GET", `/api/v1/admin/audit${query}`, { headers: { "x-admin-token": adminToken } });
    expect(answer.status).toBe(200);
    return answer.body as unknown as Listed;
  };
  const { events } = await read();
  const [organization] = (await overview()).body.organizations as { _id: string }[];

  expect(events).toContainEqual({
    ...{ _id: expect.any(String), action: "organization.created", organizationId: organization?._id, projectId: null },
    actor: { type: "user", id: expect.any(String), name: "Ada", email: "ada@example.com" },
    ...{ targetId: null, details: { name: "Ada's Workspace", owner: "ada@example.com", projectsTaken: 1 } },
    ...{ requestId: expect.any(String), createdAt: expect.any(String) },
  });
  expect(events.map(({ _id }) => _id)).toEqual(
    events
      .map(({ _id }) => _id)
      .toSorted()
      .reverse(),
  );
  const first = await read("?limit=1");
  const rest = await read(`?cursor=${first.nextCursor}`);
  expect([...first.events, ...rest.events]).toEqual(events);
});

test("while auth is unavailable a session is neither valid nor refused, and the overview does not show zeros", async () => {
  const { cookie } = await browse("POST", "/api/v1/auth/sign-in/email", {
    body: { email: "ada@example.com", password },
  });
  await system.services.auth.kill();

  const answer = await browse("GET", traces, { cookie });
  expect(answer.status).toBe(503);
  expect(await overview()).toMatchObject({ status: 503, body: { statusCode: 503 } });

  await system.restart("auth");
  await waitUntil("sessions are known again", async () => (await browse("GET", traces, { cookie })).status === 200);
});

function sendWithoutOrigin(cookie: string): Promise<string> {
  const { hostname, port } = new URL(system.url);
  const body = '{"name":"x"}';
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8").on("data", (text) => {
      received += text;
    });
    socket.once("close", () => resolve(received)).once("error", reject);
    socket.write(
      `POST /projects HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `cookie: touchstone.session_token=${cookie}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}
