import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { expect } from "vitest";
import { type AccountAnswer, addressOf, startAccounts, type TestAccounts } from "./test-accounts.ts";

export const publicUrl = "https://touchstone.example.com";

/** An account with an organization. */
export interface Person {
  userId: string;
  email: string;
  organizationId: string;
}

export interface Invited {
  token: string;
  url: string;
}

export interface Member {
  _id: string;
  userId: string;
  email: string;
  role: string;
}

/** One auth for a whole file; every test creates its own accounts. */
export interface TestTeams {
  accounts: TestAccounts;
  admin: Client;
  /** Where mails go. */
  mails: string;
  /** Makes an account with an organization, without a sign-up, which hashes a password. */
  join(name: string): Promise<Person>;
  ask(who: Person | null, method: string, route: string, body?: unknown): Promise<AccountAnswer>;
  /** Into the organization of who invites, unless another one is named. */
  invite(by: Person, email: string, role?: string, into?: Person): Promise<Invited>;
  accept(who: Person, token: string): Promise<AccountAnswer>;
  /** A new member of the owner's organization. */
  joinTeam(owner: Person, name: string, role?: "admin" | "member"): Promise<Person>;
  listMembers(owner: Person): Promise<Member[]>;
  /** The id of a membership in the owner's organization. */
  memberOf(owner: Person, whom: Person): Promise<string>;
  actionsOf(owner: Person): Promise<string[]>;
  countRows(text: string, values: unknown[]): Promise<number>;
  stop(): Promise<void>;
}

/** The path of a person's organization. */
export const pathOf = ({ organizationId }: Pick<Person, "organizationId">): string =>
  `/auth-org/organizations/${organizationId}`;

export const refused = (status: number, error: string) => ({ status, body: { error } });

export async function startTeams(): Promise<TestTeams> {
  const database = await createTestDatabase();
  const mails = await mkdtemp(path.join(tmpdir(), "mails-"));
  const accounts = await startAccounts(database, { SERVICE_PUBLIC_URL: publicUrl, SERVICE_EMAIL_DEBUG_DIR: mails });
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  let made = 0;

  const ask: TestTeams["ask"] = (who, method, route, body) =>
    accounts.ask(method, route, { ...(who && { userId: who.userId }), ...(body !== undefined && { body }) });

  const teams: TestTeams = {
    accounts,
    admin,
    mails,
    ask,
    async join(name) {
      made += 1;
      const [userId, organizationId] = [crypto.randomUUID(), crypto.randomUUID()];
      const email = addressOf(`${name}${made}`);
      await admin.query(
        "insert into auth.users (id, name, email, created_at, updated_at) values ($1, $2, $3, now(), now())",
        [userId, name, email],
      );
      await admin.query("insert into auth.organizations (id, name, created_at) values ($1, $2, now())", [
        organizationId,
        `${name}'s Workspace`,
      ]);
      await admin.query(
        "insert into auth.members (id, organization_id, user_id, role, created_at) values (uuidv7(), $1, $2, 'owner', now())",
        [organizationId, userId],
      );
      return { userId, email, organizationId };
    },
    async invite(by, email, role, into = by) {
      const answer = await ask(by, "POST", `${pathOf(into)}/invitations`, { email, ...(role && { role }) });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return { token: (answer.body.invitation as { _id: string })._id, url: answer.body.url as string };
    },
    accept: (who, token) => ask(who, "POST", `/auth-org/invitations/${token}/accept`),
    async joinTeam(owner, name, role = "member") {
      const person = await teams.join(name);
      const { token } = await teams.invite(owner, person.email, role);
      expect(await teams.accept(person, token)).toMatchObject({ status: 200 });
      return person;
    },
    async listMembers(owner) {
      return (await ask(owner, "GET", `${pathOf(owner)}/members`)).body.members as Member[];
    },
    async memberOf(owner, { userId }) {
      return (await teams.listMembers(owner)).find((member) => member.userId === userId)?._id as string;
    },
    async actionsOf(owner) {
      const { body } = await ask(owner, "GET", `${pathOf(owner)}/audit`);
      return (body.events as { action: string }[]).map(({ action }) => action);
    },
    async countRows(text, values) {
      return (await admin.query(text, values)).rowCount ?? 0;
    },
    async stop() {
      await admin.end();
      await accounts.stop();
      await rm(mails, { recursive: true, force: true });
      await database.drop();
    },
  };
  return teams;
}
