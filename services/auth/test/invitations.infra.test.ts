import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { membershipChanged } from "@touchstone/contracts";
import { createTestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { addressOf, startAccounts } from "./test-accounts.ts";
import { type Person, pathOf, publicUrl, refused, startTeams, type TestTeams } from "./test-teams.ts";

let teams: TestTeams;
let owner: Person;

beforeAll(async () => {
  teams = await startTeams();
});

afterAll(() => teams?.stop());

beforeEach(async () => {
  owner = await teams.join("Ada");
});

const organization = (organizationId = owner.organizationId) => pathOf({ organizationId });

test("POST /organizations/{id}/invitations: answers the token and a link of the public URL, once", {
  tags: ["spec:limit.invitation", "spec:invitations.public-url"],
}, async () => {
  const answer = await teams.ask(owner, "POST", `${organization()}/invitations`, { email: " Grace@Example.COM " });

  expect(answer).toMatchObject({
    status: 201,
    body: {
      invitation: {
        _id: expect.stringMatching(/^[\w-]{43}$/),
        email: "grace@example.com",
        role: "member",
        expiresAt: expect.any(String),
      },
    },
  });
  const { _id: token, expiresAt } = answer.body.invitation as { _id: string; expiresAt: string };
  expect(answer.body.url).toBe(`${publicUrl}/accept-invite?token=${token}`);
  // Seven days by PostgreSQL's clock.
  const { rows } = await teams.admin.query(
    "select date_trunc('milliseconds', expires_at) = $1 as told, expires_at - created_at = interval '7 days' as lasts from auth.invitations where organization_id = $2",
    [expiresAt, owner.organizationId],
  );
  expect(rows).toEqual([{ told: true, lasts: true }]);

  const kept = JSON.stringify((await teams.admin.query("select * from auth.invitations, auth.audit_events")).rows);
  expect(kept).not.toContain(token);
  expect(teams.accounts.logged()).not.toContain(token);
  expect(JSON.stringify((await teams.ask(owner, "GET", `${organization()}/invitations`)).body)).not.toContain(token);
});

test("POST /organizations/{id}/invitations: only owners and admins invite; the address must be one", {
  tags: ["spec:invitations.link"],
}, async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const member = await teams.joinTeam(owner, "Mia");
  const stranger = await teams.join("Eve");
  const send = (who: Person, body: unknown, id?: string) =>
    teams.ask(who, "POST", `${organization(id)}/invitations`, body);

  expect(await send(lead, { email: "x@example.com", role: "admin" })).toMatchObject({
    status: 201,
    body: { invitation: { role: "admin" } },
  });
  const onlyAdmins = refused(403, "Only an owner or admin can invite members");
  expect(await send(member, { email: "x@example.com" })).toMatchObject(onlyAdmins);
  expect(await send(stranger, { email: "x@example.com" })).toMatchObject(onlyAdmins);
  expect(await send(stranger, {}, crypto.randomUUID())).toMatchObject(onlyAdmins);
  for (const email of [undefined, "", "nonsense", "a@b", 7, "a\nb@example.com", `${"a".repeat(250)}@example.com`]) {
    expect(await send(owner, { email })).toMatchObject(refused(400, "A valid email is required"));
  }
  expect(await send(owner, { email: "x@example.com", role: "owner" })).toMatchObject({ status: 400 });
  expect(await send(owner, { email: member.email.toUpperCase() })).toMatchObject({ status: 409 });
});

test("an invitation is mailed if the installation sends mail", async () => {
  const { url } = await teams.invite(owner, "invited@example.com");

  const mail = await vi.waitFor(async () => {
    const texts = await Promise.all(
      (await readdir(teams.mails)).map((file) => readFile(path.join(teams.mails, file), "utf8")),
    );
    const found = texts.map((text) => JSON.parse(text)).find(({ text }) => text.includes(url));
    expect(found).toBeDefined();
    return found;
  });
  expect(mail).toMatchObject({ to: "invited@example.com", kind: "invitation" });
});

test("GET /organizations/{id}/invitations: the pending ones under a public id, for owners and admins", async () => {
  const member = await teams.joinTeam(owner, "Mia");
  await teams.invite(owner, "first@example.com");
  await teams.invite(owner, "second@example.com", "admin");
  const { token: replaced } = await teams.invite(owner, "third@example.com");
  await teams.invite(owner, "third@example.com");

  const { body } = await teams.ask(owner, "GET", `${organization()}/invitations`);
  expect(body.invitations).toEqual(
    [
      ["third@example.com", "member"],
      ["second@example.com", "admin"],
      ["first@example.com", "member"],
    ].map(([email, role]) => ({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email,
      role,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })),
  );
  const grace = await teams.join("third");
  expect(await teams.accept(grace, replaced)).toMatchObject({ status: 404 });
  expect(await teams.ask(member, "GET", `${organization()}/invitations`)).toMatchObject({ status: 403 });
  expect(await teams.ask(grace, "GET", `${organization()}/invitations`)).toMatchObject(
    refused(404, "Organization not found"),
  );
});

test("DELETE /organizations/{id}/invitations/{iid}: takes the public id and the token, once", async () => {
  const invitee = await teams.join("Grace");
  const { token } = await teams.invite(owner, invitee.email);
  const byToken = await teams.ask(owner, "DELETE", `${organization()}/invitations/${token}`);
  expect(byToken).toMatchObject({ status: 200, body: { ok: true } });
  expect(await teams.ask(owner, "DELETE", `${organization()}/invitations/${token}`)).toMatchObject(
    refused(404, "Invitation not found"),
  );
  expect((await teams.ask(invitee, "GET", `/auth-org/invitations/${token}`)).body.invitation).toMatchObject({
    status: "revoked",
  });
  expect(await teams.accept(invitee, token)).toMatchObject(refused(404, "Invitation not found or already used"));

  const second = await teams.invite(owner, invitee.email);
  const { body } = await teams.ask(owner, "GET", `${organization()}/invitations`);
  const [{ _id: publicId }] = body.invitations as [{ _id: string }];
  expect(await teams.accept(invitee, publicId)).toMatchObject({ status: 404 });
  expect(await teams.ask(invitee, "GET", `/auth-org/invitations/${publicId}`)).toMatchObject({ status: 404 });
  // Another organization's owner names it and reaches nothing.
  expect(await teams.ask(invitee, "DELETE", `${pathOf(invitee)}/invitations/${second.token}`)).toMatchObject({
    status: 404,
  });
  expect(await teams.ask(owner, "DELETE", `${organization()}/invitations/${publicId}`)).toMatchObject({ status: 200 });
  expect(await teams.accept(invitee, second.token)).toMatchObject({ status: 404 });
});

test("GET /invitations/{id}: shows the invitation to anyone with the link", async () => {
  const invitee = await teams.join("Grace");
  const { token } = await teams.invite(owner, invitee.email, "admin");
  const read = (who: Person | null, id = token) => teams.ask(who, "GET", `/auth-org/invitations/${id}`);

  expect(await read(invitee)).toMatchObject({
    status: 200,
    body: {
      invitation: {
        _id: token,
        organizationName: expect.stringMatching(/'s Workspace$/),
        email: invitee.email,
        role: "admin",
        status: "pending",
        emailMatches: true,
      },
    },
  });
  expect((await read(owner)).body.invitation).toMatchObject({ emailMatches: false });
  expect(await read(owner, "nonsense")).toMatchObject(refused(404, "Invitation not found"));
  expect(await read(null)).toMatchObject(refused(401, "Sign in first"));
  await teams.accept(invitee, token);
  expect((await read(invitee)).body.invitation).toMatchObject({ status: "accepted" });
});

test("POST /invitations/{id}/accept: makes the invited account a member, and no other", {
  tags: ["spec:invitations.bound"],
}, async () => {
  const invitee = await teams.join("Grace");
  const other = await teams.join("Eve");
  const { token } = await teams.invite(owner, invitee.email.toUpperCase(), "admin");
  expect(await teams.memberOf(owner, invitee)).toBeUndefined();

  expect(await teams.accept(other, token)).toMatchObject(
    refused(403, `This invitation was issued to ${invitee.email} - sign in with that account`),
  );
  expect(await teams.accept(invitee, token)).toMatchObject({
    status: 200,
    body: { ok: true, organizationId: owner.organizationId },
  });
  expect(await teams.accept(invitee, token)).toMatchObject(refused(404, "Invitation not found or already used"));
  expect(await teams.accept(other, token)).toMatchObject(refused(404, "Invitation not found or already used"));
  expect((await teams.listMembers(owner)).map(({ email, role }) => [email, role])).toEqual([
    [owner.email, "owner"],
    [invitee.email, "admin"],
  ]);
});

test("POST /invitations/{id}/accept: after seven days it is 410, for everybody", {
  tags: ["spec:limit.invitation"],
}, async () => {
  const invitee = await teams.join("Grace");
  const { token } = await teams.invite(owner, invitee.email);
  const age = (interval: string) =>
    teams.admin.query("update auth.invitations set expires_at = now() + $1::interval where organization_id = $2", [
      interval,
      owner.organizationId,
    ]);

  await age("-1 second");
  expect(await teams.accept(invitee, token)).toMatchObject(refused(410, "Invitation expired - ask for a new one"));
  expect((await teams.ask(invitee, "GET", `/auth-org/invitations/${token}`)).body.invitation).toMatchObject({
    status: "expired",
  });
  expect((await teams.ask(owner, "GET", `${organization()}/invitations`)).body.invitations).toEqual([]);
  await age("1 minute");
  expect(await teams.accept(invitee, token)).toMatchObject({ status: 200 });
});

test("of fifty accepts at once exactly one counts, and there is one membership", async () => {
  const invitee = await teams.join("Grace");
  const { token } = await teams.invite(owner, invitee.email);

  const answers = await Promise.all(Array.from({ length: 50 }, () => teams.accept(invitee, token)));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(404)]);
  expect(await teams.listMembers(owner)).toHaveLength(2);
  expect((await teams.actionsOf(owner)).filter((action) => action === "invitation.accepted")).toHaveLength(1);
});

test("of two accounts that race for a link only the invited one becomes a member", async () => {
  const invitee = await teams.join("Grace");
  const thief = await teams.join("Eve");
  const { token } = await teams.invite(owner, invitee.email);

  const answers = await Promise.all([thief, invitee, thief, invitee].map((who) => teams.accept(who, token)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await teams.listMembers(owner)).map(({ email }) => email)).toEqual([owner.email, invitee.email]);
});

test("a removed member or a former admin leaves no valid link behind", async () => {
  const lead = await teams.joinTeam(owner, "Lin", "admin");
  const secret = await teams.join("Second");
  const { token } = await teams.invite(lead, secret.email, "admin", owner);
  await teams.ask(owner, "DELETE", `${organization()}/members/${await teams.memberOf(owner, lead)}`);

  expect(await teams.accept(secret, token)).toMatchObject({ status: 404 });
});

/** With open sign-up the invited user may have joined without the link. */
async function joinWithoutLink(name: string, role: string): Promise<{ person: Person; token: string }> {
  const person = await teams.join(name);
  const { token } = await teams.invite(owner, person.email.toUpperCase(), role);
  await teams.admin.query(
    "insert into auth.members (id, organization_id, user_id, role, created_at) values (uuidv7(), $1, $2, 'member', now())",
    [owner.organizationId, person.userId],
  );
  return { person, token };
}

test("a member who joined without their link cannot use it once they were removed or lost a role", async () => {
  const removed = await joinWithoutLink("Eve", "admin");
  const demoted = await joinWithoutLink("Mallory", "admin");
  const other = await teams.join("Grace");
  const { token } = await teams.invite(owner, other.email);
  const place = async ({ person }: { person: Person }) =>
    `${organization()}/members/${await teams.memberOf(owner, person)}`;

  await teams.ask(owner, "DELETE", await place(removed));
  await teams.ask(owner, "PATCH", await place(demoted), { role: "admin" });
  await teams.ask(owner, "PATCH", await place(demoted), { role: "member" });

  expect(await teams.accept(removed.person, removed.token)).toMatchObject({ status: 404 });
  expect(await teams.accept(demoted.person, demoted.token)).toMatchObject({ status: 404 });
  expect(await teams.accept(other, token)).toMatchObject({ status: 200 });
});

test("an invitation raises the role of a member who joined without it, and lowers none", async () => {
  const raised = await joinWithoutLink("Lin", "admin");
  const kept = await joinWithoutLink("Kay", "member");
  await teams.ask(owner, "PATCH", `${organization()}/members/${await teams.memberOf(owner, kept.person)}`, {
    role: "admin",
  });
  const isAnnounced = async ({ userId }: Person) =>
    (await teams.countRows("select from auth.outbox where subject = $1 and body like $2", [
      membershipChanged.subject,
      `%${userId}%`,
    ])) === 1;
  expect(await isAnnounced(raised.person)).toBe(false);

  for (const { person, token } of [raised, kept]) {
    expect(await teams.accept(person, token)).toMatchObject({ status: 200 });
  }

  const roles = new Map((await teams.listMembers(owner)).map(({ email, role }) => [email, role]));
  expect([roles.get(raised.person.email), roles.get(kept.person.email)]).toEqual(["admin", "admin"]);
  // One event each: of the acceptance, and of the owner's change.
  expect([await isAnnounced(raised.person), await isAnnounced(kept.person)]).toEqual([true, true]);
});

test("where addresses are verified, an account whose address is not cannot accept", async () => {
  const own = await createTestDatabase();
  const strict = await startAccounts(own, {
    SERVICE_PUBLIC_URL: publicUrl,
    SERVICE_EMAIL_DEBUG_DIR: teams.mails,
    SERVICE_REQUIRE_EMAIL_VERIFICATION: "true",
  });
  const client = new Client({ connectionString: own.adminUrl });
  await client.connect();
  try {
    for (const name of ["Ada", "Grace"]) {
      await strict.ask("POST", "/auth/sign-up/email", {
        body: { name, email: addressOf(name), password: "correct horse battery" },
      });
    }
    const { rows } = await client.query("select id from auth.users order by email");
    const [ada, grace] = rows.map(({ id }) => id as string) as [string, string];
    const { rows: organizations } = await client.query("select id from auth.organizations");
    const invited = await strict.ask("POST", `/auth-org/organizations/${organizations[0].id}/invitations`, {
      userId: ada,
      body: { email: addressOf("Grace") },
    });
    const { _id: token } = invited.body.invitation as { _id: string };
    const take = () => strict.ask("POST", `/auth-org/invitations/${token}/accept`, { userId: grace });

    expect(await take()).toMatchObject({ status: 403, body: { error: expect.stringMatching(/^Verify/) } });
    await client.query("update auth.users set email_verified = true where id = $1", [grace]);
    expect(await take()).toMatchObject({ status: 200 });
  } finally {
    await client.end();
    await strict.stop();
    await own.drop();
  }
});
