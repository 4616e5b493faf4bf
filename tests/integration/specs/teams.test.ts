import { type Route, type RouteId, routes } from "@touchstone/contracts";
import { beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser, type PageAnswer, signUp } from "../src/browser.ts";
import { findWrongAnswers, judgedRoutes } from "../src/judged-bodies.ts";
import { useCombined } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** Several organizations: each account has one. */
const people = {} as Record<Role, Browser & { email: string }>;
let organizationId: string;
let organizationName: string;
let projectId: string;

/** All callers who request something of the owner's organization. `other` owns another one. */
const roles = ["nobody", "other", "member", "admin", "owner"] as const;
type Role = (typeof roles)[number];

const { system } = useCombined({ SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" });

beforeAll(async () => {
  people.nobody = { ...openBrowser(system.url, null), email: "" };
  people.owner = await signUp(system.url, "Ada");
  people.admin = await signUp(system.url, "Lin");
  people.member = await signUp(system.url, "Mia");
  people.other = await signUp(system.url, "Eve");
  const [organization] = await list(people.owner, "/auth-org/organizations", "organizations");
  organizationId = organization?._id as string;
  organizationName = organization?.name as string;
  projectId = (await list(people.owner, "/projects", "projects"))[0]?._id as string;
  await join(people.admin, "admin");
  await join(people.member, "member");
});

async function list(who: Browser, path: string, member: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await who.send("GET", path);
  expect(status).toBe(200);
  return body[member] as Record<string, unknown>[];
}

const own = (rest = "") => `/auth-org/organizations/${organizationId}${rest}`;

async function invite(email: string, role: "admin" | "member" = "member"): Promise<string> {
  const { status, body } = await people.owner.send("POST", own("/invitations"), { body: { email, role } });
  expect(status).toBe(201);
  return (body.invitation as { _id: string })._id;
}

async function join(who: Browser & { email: string }, role: "admin" | "member"): Promise<void> {
  const token = await invite(who.email, role);
  expect((await who.send("POST", `/auth-org/invitations/${token}/accept`)).status).toBe(200);
}

let made = 0;

/** A new member's membership, which the caller changes. */
async function makeMember(): Promise<string> {
  made += 1;
  const guest = await signUp(system.url, `Guest${made}`);
  await join(guest, "member");
  const members = await list(people.owner, own("/members"), "members");
  return members.find(({ email }) => email === guest.email)?._id as string;
}

async function makeProject(): Promise<string> {
  const { status, body } = await people.owner.send("POST", "/projects", { body: { name: "x", organizationId } });
  expect(status).toBe(201);
  return (body.project as { _id: string })._id;
}

/** An agent of the owner's project, created by its first trace. */
async function makeAgent(): Promise<string> {
  const project = (await list(people.owner, "/projects", "projects")).find(({ _id }) => _id === projectId);
  const { status, body } = await people.nobody.send("POST", "/ingest/traces", {
    headers: { "x-api-key": project?.apiKey as string },
    body: { name: "weather", output: "fine" },
  });
  expect(status).toBe(201);
  return body.reference_agent_id as string;
}

interface MatrixEntry {
  /** Each role calls it once, from the least to the most powerful; the changed objects are created again each time. */
  ask: (role: Role) => Promise<{ path: string; body?: unknown }>;
  expected: Record<Role, number>;
}

const everybody = (nobody: number, other: number, member: number, admin: number, owner: number) => ({
  nobody,
  other,
  member,
  admin,
  owner,
});

const ofProject = (path: string) => async () => ({ path: `${path}?projectId=${projectId}` });
const anyId = "00000000-0000-7000-8000-000000000001";

/** The answers to each role about the owner's organization and its project, by route. */
const matrix: Partial<Record<RouteId, MatrixEntry>> = {
  listTraces: { ask: ofProject("/ingest/traces"), expected: everybody(401, 404, 200, 200, 200) },
  streamTraces: { ask: ofProject("/ingest/traces/stream"), expected: everybody(401, 404, 200, 200, 200) },
  listTrackedAgents: { ask: ofProject("/ingest/tracked-agents"), expected: everybody(401, 404, 200, 200, 200) },
  setTrackedAgent: {
    ask: async () => ({
      path: `/ingest/tracked-agents?projectId=${projectId}`,
      body: { agentId: await makeAgent(), tracked: true },
    }),
    expected: everybody(401, 404, 200, 200, 200),
  },
  listProjects: { ask: async () => ({ path: "/projects" }), expected: everybody(401, 200, 200, 200, 200) },
  createProject: {
    ask: async () => ({ path: "/projects", body: { name: "x", organizationId } }),
    expected: everybody(401, 403, 201, 201, 201),
  },
  renameProject: {
    ask: async () => ({ path: `/projects/${projectId}`, body: { name: "Default" } }),
    expected: everybody(401, 404, 403, 200, 200),
  },
  deleteProject: {
    ask: async () => ({ path: `/projects/${await makeProject()}` }),
    expected: everybody(401, 404, 403, 204, 204),
  },
  rotateProjectKey: {
    ask: async () => ({ path: `/projects/${await makeProject()}/rotate-key` }),
    expected: everybody(401, 404, 403, 200, 200),
  },
  listOrganizations: {
    ask: async () => ({ path: "/auth-org/organizations" }),
    expected: everybody(401, 200, 200, 200, 200),
  },
  renameOrganization: {
    ask: async () => ({ path: own(), body: { name: organizationName } }),
    expected: everybody(401, 404, 403, 200, 200),
  },
  deleteOrganization: {
    ask: async (role) => ({ path: own(), body: { confirmName: role === "owner" ? "not its name" : organizationName } }),
    expected: everybody(401, 404, 403, 403, 400),
  },
  listMembers: { ask: async () => ({ path: own("/members") }), expected: everybody(401, 403, 200, 200, 200) },
  changeMemberRole: {
    ask: async () => ({ path: own(`/members/${await makeMember()}`), body: { role: "admin" } }),
    expected: everybody(401, 404, 403, 403, 200),
  },
  removeMember: {
    ask: async () => ({ path: own(`/members/${await makeMember()}`) }),
    expected: everybody(401, 403, 403, 200, 200),
  },
  createInvitation: {
    ask: async (role) => ({ path: own("/invitations"), body: { email: `${role}@invited.example.com` } }),
    expected: everybody(401, 403, 403, 201, 201),
  },
  listInvitations: { ask: async () => ({ path: own("/invitations") }), expected: everybody(401, 404, 403, 200, 200) },
  revokeInvitation: {
    ask: async () => ({ path: own(`/invitations/${await invite("x@example.com")}`) }),
    expected: everybody(401, 404, 403, 200, 200),
  },
  readInvitation: {
    ask: async () => ({ path: `/auth-org/invitations/${await invite("x@example.com")}` }),
    // Anyone with the link.
    expected: everybody(401, 200, 200, 200, 200),
  },
  acceptInvitation: {
    ask: async () => ({ path: `/auth-org/invitations/${await invite("x@example.com")}/accept` }),
    expected: everybody(401, 403, 403, 403, 403),
  },
  listAuditEvents: { ask: async () => ({ path: own("/audit") }), expected: everybody(401, 404, 403, 403, 200) },
  // The caller's own account; other accounts cannot be named.
  readAccount: { ask: async () => ({ path: "/auth-org/account" }), expected: everybody(401, 200, 200, 200, 200) },
  renameAccount: {
    ask: async () => ({ path: "/auth-org/account", body: { name: "" } }),
    expected: everybody(401, 400, 400, 400, 400),
  },
  deleteAccount: {
    ask: async () => ({ path: "/auth-org/account", body: {} }),
    expected: everybody(401, 400, 400, 400, 400),
  },
  listAccountSessions: {
    ask: async () => ({ path: "/auth-org/account/sessions" }),
    expected: everybody(401, 200, 200, 200, 200),
  },
  endAccountSession: {
    ask: async () => ({ path: `/auth-org/account/sessions/${anyId}` }),
    expected: everybody(401, 404, 404, 404, 404),
  },
};

const sessionRoutes = Object.values<Route>(routes).filter(({ authentication }) => authentication.includes("session"));

// Another test covers a session's changes in a project, route by route: they all follow one rule.
const singular = sessionRoutes.filter(({ sessionRole }) => sessionRole === undefined);

test.each(singular.map(({ id, method }) => [id as RouteId, method] as const))(
  "role permissions: %s",
  async (id, method) => {
    const entry = matrix[id];
    if (entry === undefined) throw new Error(`The route ${id} takes a session and has no line in the matrix of roles.`);
    const answered = {} as Record<Role, number>;
    for (const role of roles) {
      const { path, body } = await entry.ask(role);
      answered[role] = (await people[role].send(method, path, { body })).status;
    }
    expect(answered).toEqual(entry.expected);
  },
);

test("a mutation under a session needs a trusted origin, on every route", async () => {
  for (const { id, method, path } of sessionRoutes.filter((route) => route.method !== "GET")) {
    const filled = path.replace("/api/v1", "").replaceAll(/\{\w+\}/g, anyId);
    const answer: PageAnswer = await people.owner.send(method, filled, {
      body: {},
      headers: { origin: "https://evil.example" },
    });
    expect([answer.status, answer.body.code], id).toEqual([403, "INVALID_ORIGIN"]);
  }
});

test("without a session every route of teams refuses with that reason, and a key does not help", async () => {
  const apiKey = (await list(people.owner, "/projects", "projects"))[0]?.apiKey as string;
  for (const headers of [{}, { "x-api-key": apiKey }] as Record<string, string>[]) {
    expect(await people.nobody.send("GET", "/auth-org/organizations", { headers })).toMatchObject({
      status: 401,
      body: { error: "Sign in first" },
    });
  }
  const own = { headers: { "x-api-key": apiKey } };
  expect(
    (await people.nobody.send("PATCH", `/projects/${projectId}`, { ...own, body: { name: "Default" } })).status,
  ).toBe(200);
  expect(await people.nobody.send("DELETE", `/projects/${projectId}`, own)).toMatchObject({
    status: 403,
    body: { error: "Only an owner or admin can delete a project" },
  });
});

test("the role does not limit a member who sends a project's key: the project is renamed and its key rotated, but not deleted", async () => {
  const id = await makeProject();
  const apiKey = (await list(people.member, "/projects", "projects")).find(({ _id }) => _id === id)?.apiKey as string;
  const ask = (method: string, path: string, key: string | null, body?: unknown) =>
    people.member.send(method, path, { body, ...(key !== null && { headers: { "x-api-key": key } }) });

  expect((await ask("PATCH", `/projects/${id}`, null, { name: "y" })).status).toBe(403);
  expect((await ask("POST", `/projects/${id}/rotate-key`, null)).status).toBe(403);
  expect((await ask("PATCH", `/projects/${id}`, apiKey, { name: "y" })).status).toBe(200);
  const { status, body } = await ask("POST", `/projects/${id}/rotate-key`, apiKey);
  const rotated = (body.project as { apiKey: string }).apiKey;
  expect([status, rotated === apiKey]).toEqual([200, false]);
  expect((await ask("DELETE", `/projects/${id}`, rotated)).status).toBe(403);
});

test("an invited user signs up, has no access before accepting, and loses it with the membership", {
  tags: ["spec:invitations.link"],
}, async () => {
  const { body: created } = await people.owner.send("POST", own("/invitations"), {
    body: { email: "grace@example.com" },
  });
  const url = created.url as string;
  const token = new URL(url).searchParams.get("token");
  // Without a public URL the link starts with the page's origin.
  expect(url).toBe(`${system.url}/accept-invite?token=${token}`);
  const grace = await signUp(system.url, "Grace");
  const traces = `/ingest/traces?projectId=${projectId}`;
  expect((await grace.send("GET", traces)).status).toBe(404);

  expect((await grace.send("POST", `/auth-org/invitations/${token}/accept`)).status).toBe(200);
  await waitUntil("the gateway knows the membership", async () => (await grace.send("GET", traces)).status === 200);
  const members = await list(people.owner, own("/members"), "members");
  const place = members.find(({ email }) => email === "grace@example.com")?._id;

  expect((await people.owner.send("DELETE", own(`/members/${place}`))).status).toBe(200);
  await waitUntil(
    "the gateway has forgotten the session",
    async () => (await grace.send("GET", traces)).status === 404,
  );
  expect((await grace.send("GET", own("/members"))).status).toBe(403);
});

test("a project's key exports the project's audit entries, and no others", async () => {
  const id = await makeProject();
  const { body } = await people.owner.send("POST", `/projects/${id}/rotate-key`);
  const { apiKey } = body.project as { apiKey: string };

  const response = await fetch(`${system.url}/api/v1/export/audit-events`, { headers: { "x-api-key": apiKey } });
  const text = await response.text();
  const lines = text.split("\n").filter((line) => line !== "");

  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ["project.created", "project.key-rotated"].map((action) => ({
      id: expect.any(String),
      action,
      actorType: "user",
      actorId: expect.any(String),
      projectId: id,
      targetId: null,
      details: expect.any(Object),
      requestId: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
    })),
  );
  expect(text).not.toContain(apiKey);
});

test("actions in every service are in the audit log of the project's organization, under the right user, and in no other log", async () => {
  const id = await makeProject();
  const apiKey = (await list(people.owner, "/projects", "projects")).find(({ _id }) => _id === id)?.apiKey as string;
  const asKey = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await people.nobody.send(method, path, { headers: { "x-api-key": apiKey }, body });
    expect(answer.status, path).toBeLessThan(300);
    return answer.body;
  };
  await asKey("PUT", "/agent-monitoring/settings/retention", { retentionDays: 7 });
  await asKey("POST", "/agent-monitoring/judge-scorers", { name: "Tone", online: { enabled: true } });
  const { agent } = await asKey("POST", "/agents", { name: "shop" });
  const tracked = await people.admin.send("PUT", `/ingest/tracked-agents?projectId=${id}`, {
    body: { agentId: (agent as { _id: string })._id, tracked: true },
  });
  expect(tracked.status).toBe(200);

  type ListedAct = { action: string; projectId: string | null; actor: Record<string, unknown> };
  const readLog = async () =>
    ((await list(people.owner, own("/audit"), "events")) as unknown as ListedAct[])
      .filter((act) => act.projectId === id)
      .toSorted((one, other) => one.action.localeCompare(other.action));
  await waitUntil("the log has all of them", async () => (await readLog()).length === 4);
  const key = { type: "key", id, name: null, email: null };
  expect(await readLog()).toMatchObject([
    { action: "grading-config.created", actor: key, details: { name: "Tone", live: true } },
    { action: "monitoring-profile.changed", actor: { type: "user", email: people.admin.email } },
    { action: "project.created", actor: { type: "user", email: people.owner.email } },
    { action: "retention.changed", actor: key, details: { from: null, to: 7 } },
  ]);
  const [others] = await list(people.other, "/auth-org/organizations", "organizations");
  const foreign = await people.other.send("GET", `/auth-org/organizations/${others?._id}/audit`);
  expect(JSON.stringify(foreign.body)).not.toContain(id);
});

test("a body of a route of accounts is refused exactly where its contract's schema refuses it", async () => {
  const [organization] = await list(people.other, "/auth-org/organizations", "organizations");
  const ids: Readonly<Record<string, unknown>> = {
    organizationId: organization?._id,
    memberId: await makeMember(),
    email: "zoe@example.com",
  };
  const ofAccounts = judgedRoutes.filter(({ path }) => path.startsWith("/api/v1/auth-org/"));
  const wrong = await Promise.all(
    ofAccounts.map((route) => {
      const isOfMember = route.path.includes("{memberId}");
      const who = isOfMember ? people.owner : people.other;
      const known = isOfMember ? { ...ids, organizationId } : ids;
      return findWrongAnswers(
        route,
        (name) => known[name as "email"],
        async (method, path, text) => {
          const { status, body } = await who.send(method, path.replace("/api/v1", ""), { body: JSON.parse(text) });
          return { status, text: JSON.stringify(body) };
        },
      );
    }),
  );
  expect(wrong.flat()).toEqual([]);
  expect(ofAccounts.length).toBeGreaterThan(3);
});
