import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AccountAnswer } from "./test-accounts.ts";
import { type Person, pathOf, refused, startTeams, type TestTeams } from "./test-teams.ts";

let teams: TestTeams;
let owner: Person;

beforeAll(async () => {
  teams = await startTeams();
});

afterAll(() => teams?.stop());

beforeEach(async () => {
  owner = await teams.join("Ada");
  expect(await teams.ask(owner, "POST", "/projects", { name: "first" })).toMatchObject({ status: 201 });
});

const organization = (organizationId = owner.organizationId) => pathOf({ organizationId });

test("GET /organizations: lists one's own, the first joined first, with the role in each", async () => {
  const guest = await teams.joinTeam(owner, "Grace", "admin");

  expect((await teams.ask(guest, "GET", "/auth-org/organizations")).body).toEqual({
    organizations: [
      { _id: guest.organizationId, name: expect.stringMatching(/^Grace's Workspace$/), role: "owner" },
      { _id: owner.organizationId, name: expect.stringMatching(/^Ada's Workspace$/), role: "admin" },
    ],
  });
});

test("GET /organizations/{id}/members: lists the members for members, and is 403 for everyone else", async () => {
  const guest = await teams.joinTeam(owner, "Grace");
  const stranger = await teams.join("Eve");

  expect(await teams.ask(guest, "GET", `${organization()}/members`)).toMatchObject({
    status: 200,
    body: {
      members: [
        { _id: expect.any(String), userId: owner.userId, email: owner.email, role: "owner" },
        { _id: expect.any(String), userId: guest.userId, email: guest.email, role: "member" },
      ],
    },
  });
  for (const id of [owner.organizationId, crypto.randomUUID(), "nonsense'"]) {
    expect(await teams.ask(stranger, "GET", `${organization(id)}/members`)).toMatchObject(
      refused(403, "Not a member of this organization"),
    );
  }
});

test("DELETE /organizations/{id}/members/{mid}: owners and admins remove members; the owner stays", {
  tags: ["spec:teams.owner"],
}, async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const secondLead = await teams.joinTeam(owner, "Lou", "admin");
  const member = await teams.joinTeam(owner, "Mia");
  const stranger = await teams.join("Eve");
  const remove = async (who: Person, whom: Person) =>
    teams.ask(who, "DELETE", `${organization()}/members/${await teams.memberOf(owner, whom)}`);
  const onlyAdmins = refused(403, "Only an owner or admin can remove members");

  expect(await remove(member, lead)).toMatchObject(onlyAdmins);
  expect(await remove(stranger, member)).toMatchObject(onlyAdmins);
  for (const who of [owner, lead]) {
    expect(await remove(who, owner)).toMatchObject(refused(400, "The owner cannot be removed"));
    for (const id of [crypto.randomUUID(), "nonsense", stranger.userId]) {
      expect(await teams.ask(who, "DELETE", `${organization()}/members/${id}`)).toMatchObject(
        refused(404, "Member not found"),
      );
    }
  }
  expect(await remove(lead, secondLead)).toMatchObject(refused(403, "Only the owner can remove an admin"));
  expect(await remove(lead, member)).toMatchObject({ status: 200, body: { ok: true } });
  expect(await remove(lead, lead)).toMatchObject({ status: 200 });
  expect(await remove(owner, secondLead)).toMatchObject({ status: 200 });
  expect(await teams.listMembers(owner)).toHaveLength(1);
  expect((await teams.ask(member, "GET", "/auth-org/organizations")).body.organizations).toHaveLength(1);
});

test("PATCH /organizations/{id}/members/{mid}: the owner makes admins and members, and stays the owner", async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const member = await teams.joinTeam(owner, "Mia");
  const change = async (who: Person, whom: Person, role: unknown) =>
    teams.ask(who, "PATCH", `${organization()}/members/${await teams.memberOf(owner, whom)}`, { role });

  expect(await change(owner, member, "admin")).toMatchObject({
    status: 200,
    body: { member: { userId: member.userId, email: member.email, role: "admin" } },
  });
  expect(await change(owner, lead, "member")).toMatchObject({ status: 200, body: { member: { role: "member" } } });
  expect(await change(member, lead, "admin")).toMatchObject(refused(403, "Only the owner can change roles"));
  expect(await change(owner, owner, "member")).toMatchObject(refused(400, "The owner's role cannot be changed"));
  expect(await change(owner, lead, "owner")).toMatchObject(refused(400, 'role must be "admin" or "member"'));
  expect(await teams.ask(owner, "PATCH", `${organization()}/members/nonsense`, { role: "admin" })).toMatchObject({
    status: 404,
  });
});

test("PATCH /organizations/{id}: owners and admins rename it", async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const member = await teams.joinTeam(owner, "Mia");
  const stranger = await teams.join("Eve");
  const rename = (who: Person, name: unknown) => teams.ask(who, "PATCH", organization(), { name });

  expect(await rename(lead, " Tests ")).toMatchObject({
    status: 200,
    body: { organization: { _id: owner.organizationId, name: "Tests", role: "admin" } },
  });
  expect(await rename(owner, "")).toMatchObject(refused(400, "name is required"));
  expect(await rename(member, "x")).toMatchObject({ status: 403 });
  expect(await rename(stranger, "x")).toMatchObject(refused(404, "Organization not found"));
});

test("DELETE /organizations/{id}: the owner alone, by its name; keys, members and invitations go, accounts stay", {
  tags: ["spec:organizations.delete"],
}, async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const stranger = await teams.join("Eve");
  const { token } = await teams.invite(owner, "late@example.com");
  await teams.ask(owner, "POST", "/projects", { name: "second", organizationId: owner.organizationId });
  await teams.ask(owner, "PATCH", organization(), { name: "Tests" });
  const remove = (who: Person, body: unknown) => teams.ask(who, "DELETE", organization(), body);

  expect(await remove(lead, { confirmName: "Tests" })).toMatchObject(
    refused(403, "Only the owner can delete an organization"),
  );
  expect(await remove(stranger, { confirmName: "Tests" })).toMatchObject(refused(404, "Organization not found"));
  for (const body of [{}, { confirmName: "tests" }, { confirmName: 7 }, []]) {
    expect(await remove(owner, body)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/confirmName.*Tests/) },
    });
  }
  expect(await remove(owner, { confirmName: "Tests" })).toMatchObject({
    status: 200,
    body: { ok: true, projectsDeleted: 2 },
  });

  expect(await remove(owner, { confirmName: "Tests" })).toMatchObject(refused(404, "Organization not found"));
  expect(await teams.ask(stranger, "GET", `/auth-org/invitations/${token}`)).toMatchObject({ status: 404 });
  expect((await teams.ask(owner, "GET", "/auth-org/organizations")).body).toEqual({ organizations: [] });
  expect((await teams.ask(owner, "GET", "/projects")).body).toEqual({ projects: [] });
  const id = owner.organizationId;
  for (const table of ["members", "invitations", "audit_events"]) {
    expect(await teams.countRows(`select from auth.${table} where organization_id = $1`, [id]), table).toBe(0);
  }
  expect(
    await teams.countRows(
      "select from auth.project_keys key join auth.projects project on project.id = key.project_id where project.organization_id = $1",
      [id],
    ),
  ).toBe(0);
  // The other services are notified of each project, and of their own data under the organization.
  expect(
    await teams.countRows(
      "select from auth.projects where (organization_id = $1 or id = $1) and deleting_since is not null",
      [id],
    ),
  ).toBe(3);
  expect(
    await teams.countRows("select from auth.audit_events where action = 'organization.deleted' and target_id = $1", [
      id,
    ]),
  ).toBe(1);
  expect(await teams.countRows("select from auth.users where id = any($1)", [[owner.userId, lead.userId]])).toBe(2);
});

test("a project that is made while its organization is deleted is in it, or not made", async () => {
  const { rows } = await teams.admin.query("select name from auth.organizations where id = $1", [owner.organizationId]);
  const make = (name: string) =>
    teams.ask(owner, "POST", "/projects", { name, organizationId: owner.organizationId }).then(({ status }) => status);

  const [first, second, deletion, ...later] = (await Promise.all([
    make("a"),
    make("b"),
    teams.ask(owner, "DELETE", organization(), { confirmName: rows[0].name }),
    make("c"),
    make("d"),
  ])) as [number, number, AccountAnswer, number, number];

  const statuses = [first, second, ...later];
  expect(statuses.every((status) => status === 201 || status === 403)).toBe(true);
  const created = statuses.filter((status) => status === 201).length;
  expect(deletion.body).toEqual({ ok: true, projectsDeleted: created + 1 });
  expect(
    await teams.countRows("select from auth.projects where organization_id = $1 and deleting_since is null", [
      owner.organizationId,
    ]),
  ).toBe(0);
});

test("a deletion whose last statement fails deletes nothing", async () => {
  await teams.admin.query(
    "alter table auth.audit_events add constraint no_deletions check (action <> 'organization.deleted') not valid",
  );
  const { rows } = await teams.admin.query("select name from auth.organizations where id = $1", [owner.organizationId]);

  const answer = await teams.ask(owner, "DELETE", organization(), { confirmName: rows[0].name });
  await teams.admin.query("alter table auth.audit_events drop constraint no_deletions");

  expect(answer.status).toBe(500);
  expect((await teams.ask(owner, "GET", "/projects")).body.projects).toHaveLength(1);
  expect(await teams.listMembers(owner)).toHaveLength(1);
});

test("the log has every administrative act with its author, subject and time, for the owner alone, in pages", async () => {
  const member = await teams.joinTeam(owner, "Mia");
  const mia = await teams.memberOf(owner, member);
  const revoked = await teams.invite(owner, "revoked@example.com");
  await teams.ask(owner, "DELETE", `${organization()}/invitations/${revoked.token}`);
  await teams.ask(owner, "PATCH", organization(), { name: "Tests" });
  await teams.ask(owner, "PATCH", `${organization()}/members/${mia}`, { role: "admin" });
  const created = await teams.ask(member, "POST", "/projects", {
    name: "second",
    organizationId: owner.organizationId,
  });
  const second = (created.body.project as { _id: string })._id;
  await teams.ask(owner, "PATCH", `/projects/${second}`, { name: "renamed" });
  const rotated = await teams.ask(owner, "POST", `/projects/${second}/rotate-key`);
  await teams.ask(owner, "DELETE", `/projects/${second}`);
  await teams.ask(owner, "DELETE", `${organization()}/members/${mia}`);

  const { status, body } = await teams.ask(owner, "GET", `${organization()}/audit`);
  const events = body.events as { _id: string; action: string; details: unknown }[];
  expect(status).toBe(200);
  expect(events.map(({ action }) => action)).toEqual([
    "member.removed",
    "project.deleted",
    "project.key-rotated",
    "project.renamed",
    "project.created",
    "member.role-changed",
    "organization.renamed",
    "invitation.revoked",
    "invitation.created",
    "invitation.accepted",
    "invitation.created",
    "project.created",
  ]);
  expect(events[0]).toEqual({
    _id: expect.any(String),
    action: "member.removed",
    actor: { type: "user", id: owner.userId, name: expect.stringMatching(/^Ada/), email: owner.email },
    projectId: null,
    targetId: mia,
    details: { email: member.email, role: "admin", revokedInvitations: 0 },
    requestId: "request-1",
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(events[3]).toMatchObject({ projectId: second, details: { from: "second", to: "renamed" } });
  expect(events[4]).toMatchObject({ projectId: second, actor: { email: member.email }, details: { name: "second" } });
  for (const secret of [(rotated.body.project as { apiKey: string }).apiKey, revoked.token]) {
    expect(JSON.stringify(body)).not.toContain(secret);
  }

  const paged: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await teams.ask(owner, "GET", `${organization()}/audit?limit=4${cursor && `&cursor=${cursor}`}`);
    paged.push(...(page.body.events as { _id: string }[]).map(({ _id }) => _id));
    cursor = page.body.nextCursor as string | null;
  }
  expect(paged).toEqual(events.map(({ _id }) => _id));
  for (const query of ["limit=0", "limit=201", "limit=x", "cursor=x"]) {
    expect((await teams.ask(owner, "GET", `${organization()}/audit?${query}`)).status, query).toBe(400);
  }
});

test("a project is managed by owners and admins of its organization; for others it is 404", async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const member = await teams.joinTeam(owner, "Mia");
  const stranger = await teams.join("Eve");
  const make = async () => {
    const { body } = await teams.ask(owner, "POST", "/projects", { name: "x", organizationId: owner.organizationId });
    return (body.project as { _id: string })._id;
  };
  const id = await make();
  const acts: [string, string, unknown, string][] = [
    ["PATCH", `/projects/${id}`, { name: "y" }, "Only an owner or admin can rename a project"],
    ["POST", `/projects/${id}/rotate-key`, undefined, "Only an owner or admin can rotate a project's key"],
    ["DELETE", `/projects/${id}`, undefined, "Only an owner or admin can delete a project"],
  ];

  for (const [method, route, body, sentence] of acts) {
    expect(await teams.ask(stranger, method, route, body)).toMatchObject(refused(404, "Project not found"));
    expect(await teams.ask(member, method, route, body)).toMatchObject(refused(403, sentence));
    expect(await teams.ask(null, method, route, body)).toMatchObject({ status: 401 });
    expect([200, 204]).toContain((await teams.ask(lead, method, route, body)).status);
  }
  expect(await teams.ask(lead, "PATCH", `/projects/${id}`, { name: "z" })).toMatchObject({ status: 404 });
});
