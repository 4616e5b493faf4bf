import { membershipChanged } from "@touchstone/contracts";
import type { Database, Queryable, Statement, Transaction } from "@touchstone/db";
import { type Clock, uuidv7 } from "@touchstone/service-kit";
import { type Act, recordAudit } from "../audit/audit-event-store.ts";
import type { ModelStore } from "../models/model-store.ts";
import type { KeyVault } from "../project-keys/key-vault.ts";
import { createProjectKey } from "../project-keys/project-key.ts";
import { insertProjectKey } from "../project-keys/project-key-store.ts";
import type { ProviderKeyStore } from "../provider-keys/provider-key-store.ts";

export type Role = "owner" | "admin" | "member";

/** The organizations of a user, in order of joining. */
export interface Membership {
  organizationId: string;
  role: Role;
}

export interface NewUser {
  id: string;
  name: string;
  email: string;
}

export interface MembershipStore {
  /**
   * Gives a new user a membership, in the same transaction (completions 12.3): the first user becomes the owner of a
   * new organization that takes every unowned project; later users join it if sign-up is open, and get none otherwise.
   * In multi-tenant mode every user gets a separate organization with a project. The audit log records it as the user's
   * act.
   */
  placeUser(transaction: Queryable, user: NewUser, requestId: string): Promise<void>;
  membershipsOf(userId: string): Promise<Membership[]>;
  /** The projects of a user's organizations, oldest first. */
  projectsOf(userId: string): Promise<{ projectId: string; organizationId: string }[]>;
  /**
   * A user's role in the organization of a project; null if the user is not a member, or the project does not exist.
   */
  roleInProject(userId: string, projectId: string): Promise<Role | null>;
  /** True if no account was ever created. */
  needsSetup(): Promise<boolean>;
}

export interface MembershipStoreOptions {
  database: Database;
  vault: KeyVault;
  providerKeys: Pick<ProviderKeyStore, "handOver">;
  models: Pick<ModelStore, "handOver">;
  clock: Clock;
  multiTenant: boolean;
  openSignup: boolean;
}

/** Stores {@link MembershipStore} in the schema `auth`, under the app role. */
export function createMembershipStore(options: MembershipStoreOptions): MembershipStore {
  const { database, providerKeys, models, clock, multiTenant, openSignup } = options;

  async function becomeOwner(transaction: Queryable, user: NewUser, act: Act): Promise<void> {
    const name = workspaceName(user.name);
    const organizationId = await makeOrganization(transaction, name, user.id, clock);
    await transaction.query(nameOrganization(organizationId));
    const { rowCount } = await transaction.query(claimProjects(organizationId));
    await providerKeys.handOver(transaction, organizationId);
    await models.handOver(transaction, organizationId);
    await recordAudit(transaction, {
      ...act,
      action: "organization.created",
      organizationId,
      details: { name, owner: user.email, projectsTaken: rowCount ?? 0 },
    });
  }

  async function joinInstallation(transaction: Queryable, user: NewUser, act: Act): Promise<void> {
    const { rows } = await transaction.query<{ organization_id: string | null }>(selectInstallation);
    const organizationId = rows[0]?.organization_id ?? null;
    if (organizationId === null) return;
    const targetId = await addMember(transaction, { organizationId, userId: user.id, role: "member" }, clock);
    const details = { email: user.email, role: "member" };
    await recordAudit(transaction, { ...act, action: "member.joined", organizationId, targetId, details });
  }

  async function makeWorkspace(transaction: Queryable, user: NewUser, act: Act): Promise<void> {
    const name = workspaceName(user.name);
    const organizationId = await makeOrganization(transaction, name, user.id, clock);
    const details = { name, owner: user.email, projectsTaken: 0 };
    await recordAudit(transaction, { ...act, action: "organization.created", organizationId, details });
    const projectId = await seedProject(transaction, organizationId, options);
    await recordAudit(transaction, {
      ...act,
      action: "project.created",
      organizationId,
      projectId,
      details: { name: seededName },
    });
  }

  return {
    async placeUser(transaction, user, requestId) {
      const act: Act = { actor: { type: "user", userId: user.id }, requestId };
      const isFirst = await setUp(transaction, clock);
      if (multiTenant) {
        await makeWorkspace(transaction, user, act);
      } else if (isFirst) {
        await becomeOwner(transaction, user, act);
      } else if (openSignup) {
        await joinInstallation(transaction, user, act);
      }
    },

    async membershipsOf(userId) {
      const { rows } = await database.query<{ organization_id: string; role: Role }>(selectMemberships(userId));
      return rows.map((row) => ({ organizationId: row.organization_id, role: row.role }));
    },

    async projectsOf(userId) {
      const { rows } = await database.query<{ id: string; organization_id: string }>(selectProjectsOfUser(userId));
      return rows.map((row) => ({ projectId: row.id, organizationId: row.organization_id }));
    },

    async roleInProject(userId, projectId) {
      const { rows } = await database.query<{ role: Role }>(selectRoleInProject(userId, projectId));
      return rows[0]?.role ?? null;
    },

    async needsSetup() {
      const { rows } = await database.query<{ needs_setup: boolean }>(selectNeedsSetup);
      return rows[0]?.needs_setup ?? true;
    },
  };
}

/** True for exactly one caller ever. Concurrent callers wait here until it has committed. */
async function setUp(transaction: Queryable, clock: Clock): Promise<boolean> {
  const { rows } = await transaction.query({
    name: "installation_set_up",
    text: `
      insert into auth.installation (set_up_at)
      values ($1)
      on conflict (is_set_up) do nothing
      returning true`,
    values: [new Date(clock.now())],
  });
  return rows.length > 0;
}

async function makeOrganization(transaction: Queryable, name: string, ownerId: string, clock: Clock): Promise<string> {
  const id = uuidv7(clock.now());
  await transaction.query({
    name: "organization_insert",
    text: `
      insert into auth.organizations (id, name, created_at)
      values ($1, $2, $3)`,
    values: [id, name, new Date(clock.now())],
  });
  await addMember(transaction, { organizationId: id, userId: ownerId, role: "owner" }, clock);
  return id;
}

async function addMember(
  transaction: Queryable,
  { organizationId, userId, role }: Membership & { userId: string },
  clock: Clock,
): Promise<string> {
  const id = uuidv7(clock.now());
  await transaction.query({
    name: "member_insert",
    text: `
      insert into auth.members (id, organization_id, user_id, role, created_at)
      values ($1, $2, $3, $4, $5)`,
    values: [id, organizationId, userId, role, new Date(clock.now())],
  });
  return id;
}

async function seedProject(
  transaction: Queryable,
  organizationId: string,
  { vault, clock }: Pick<MembershipStoreOptions, "vault" | "clock">,
): Promise<string> {
  const id = uuidv7(clock.now());
  const at = new Date(clock.now());
  await transaction.query({
    name: "project_insert_tenant_default",
    text: `
      insert into auth.projects (id, name, is_tenant_default, organization_id, created_at)
      values ($1, $2, true, $3, $4)`,
    values: [id, seededName, organizationId, at],
  });
  await transaction.query(insertProjectKey(vault, id, createProjectKey(), at));
  return id;
}

const selectInstallation: Statement = {
  name: "installation_read",
  text: "select organization_id from auth.installation",
};

const nameOrganization = (organizationId: string): Statement => ({
  name: "installation_name_organization",
  text: `
    update auth.installation
    set organization_id = $1`,
  values: [organizationId],
});

/** All projects of default mode. */
const claimProjects = (organizationId: string): Statement => ({
  name: "projects_claim",
  text: `
    update auth.projects
    set organization_id = $1
    where organization_id is null`,
  values: [organizationId],
});

/** Ids are UUIDv7: the order of joining. */
const selectMemberships = (userId: string): Statement => ({
  name: "member_list_of_user",
  text: `
    select organization_id, role
    from auth.members
    where user_id = $1
    order by id`,
  values: [userId],
});

const selectProjectsOfUser = (userId: string): Statement => ({
  name: "project_list_ids_of_user",
  text: `
    select project.id, project.organization_id
    from auth.members member
    join auth.projects project on project.organization_id = member.organization_id
    where member.user_id = $1
      and project.deleting_since is null
    order by project.id`,
  values: [userId],
});

const selectRoleInProject = (userId: string, projectId: string): Statement => ({
  name: "member_role_in_project",
  text: `
    select member.role
    from auth.projects project
    join auth.members member on member.organization_id = project.organization_id
    where project.id = $1 and project.deleting_since is null and member.user_id = $2`,
  values: [projectId, userId],
});

const selectNeedsSetup: Statement = {
  name: "installation_needs_setup",
  text: "select not exists (select from auth.installation) as needs_setup",
};

/** The name of a new organization's project. */
const seededName = "Default";

function workspaceName(userName: string): string {
  return `${userName}'s Workspace`;
}

/** Keeps an event at a few kilobytes. */
const usersPerEvent = 100;

/**
 * Gateways cache the access of a session for a few seconds. The transaction that changes it also writes the event for
 * them.
 */
export async function announceChange(transaction: Transaction, userIds: readonly string[]): Promise<void> {
  for (let first = 0; first < userIds.length; first += usersPerEvent) {
    const body = membershipChanged.body.parse({ userIds: userIds.slice(first, first + usersPerEvent) });
    await transaction.query({
      name: "membership_changed_enqueue",
      text: `
        insert into auth.outbox (subject, body)
        values ($1, $2)`,
      values: [membershipChanged.subject, JSON.stringify(body)],
    });
  }
}
