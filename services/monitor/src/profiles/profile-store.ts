import type { MonitoringDefaults } from "@touchstone/contracts";
import { type Database, onceInTransaction, type Queryable, readableJson, type Statement } from "@touchstone/db";
import { type Act, namesOfChanged } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { initialDefaults, type ProfileDocument, type StoredProfile } from "./profile.ts";

/** Profiles of agents, and the project's defaults (completions 9.2). Every change is recorded in the audit log. */
export interface ProfileStore {
  /** Null: the agent has none. */
  read(projectId: string, agentId: string): Promise<StoredProfile | null>;
  /** The profiles of those of the agents that have one. */
  findAll(projectId: string, agentIds: readonly string[]): Promise<StoredProfile[]>;
  /** Those of the agents whose profile is disabled. */
  findDisabled(projectId: string, agentIds: readonly string[]): Promise<Set<string>>;
  /** Changes or creates a profile; changes of one agent are serialized. */
  change(
    projectId: string,
    agentId: string,
    profile: { id: string; now: Date; compose: (stored: ProfileDocument) => ProfileDocument; act: Act },
  ): Promise<StoredProfile>;
  readDefaults(projectId: string): Promise<MonitoringDefaults>;
  changeDefaults(
    projectId: string,
    change: { now: Date; compose: (stored: MonitoringDefaults) => MonitoringDefaults; act: Act },
  ): Promise<MonitoringDefaults>;
}

export function createProfileStore(database: Database): ProfileStore {
  return {
    async read(projectId, agentId) {
      const { rows } = await database.readScoped<ProfileRow>([projectId], selectProfile(projectId, agentId));
      return rows.map(readRow)[0] ?? null;
    },

    async findAll(projectId, agentIds) {
      const { rows } = await database.readScoped<ProfileRow>([projectId], {
        name: "profiles_find",
        text: `
          select ${columns}
          from monitor.profiles
          where project_id = $1
            and agent_id = any($2::uuid[])`,
        values: [projectId, agentIds],
      });
      return rows.map(readRow);
    },

    async findDisabled(projectId, agentIds) {
      const { rows } = await database.readScoped<{ agent_id: string }>([projectId], {
        name: "profiles_find_disabled",
        text: `
          select agent_id
          from monitor.profiles
          where project_id = $1
            and agent_id = any($2::uuid[])
            and ${readableJson("document")} ->> 'enabled' = 'false'`,
        values: [projectId, agentIds],
      });
      return new Set(rows.map((row) => row.agent_id));
    },

    change: (projectId, agentId, { id, now, compose, act }) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, `touchstone profile ${projectId} ${agentId}`);
        const stored = (await transaction.query<ProfileRow>(selectProfile(projectId, agentId))).rows.map(readRow)[0];
        const document = compose(stored?.document ?? {});
        const { rows } = await transaction.query<ProfileRow>({
          name: "profile_put",
          text: `
            insert into monitor.profiles (project_id, agent_id, id, document, created_at, updated_at)
            values ($1, $2, $3, $4, $5, $5)
            on conflict (project_id, agent_id) do update
            set document = excluded.document,
                updated_at = excluded.updated_at
            returning ${columns}`,
          values: [projectId, agentId, id, JSON.stringify(document), now],
        });
        const [row] = rows;
        if (row === undefined) throw new Error("a profile was stored and none came back");
        const changed = namesOfChanged(stored?.document ?? {}, document);
        if (changed !== "") {
          const details = { changed, ...(document.enabled !== undefined && { enabled: document.enabled }) };
          await recordAuditEvent(transaction, act, {
            action: "monitoring-profile.changed",
            targetId: agentId,
            details,
          });
        }
        return readRow(row);
      }),

    async readDefaults(projectId) {
      const { rows } = await database.readScoped<{ document: string }>([projectId], selectDefaults(projectId));
      return readDefaultsRow(rows[0]);
    },

    changeDefaults: (projectId, { now, compose, act }) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, `touchstone monitoring defaults ${projectId}`);
        const { rows } = await transaction.query<{ document: string }>(selectDefaults(projectId));
        const before = readDefaultsRow(rows[0]);
        const defaults = compose(before);
        await transaction.query({
          name: "project_settings_put",
          text: `
            insert into monitor.project_settings (project_id, document, updated_at)
            values ($1, $2, $3)
            on conflict (project_id) do update
            set document = excluded.document,
                updated_at = excluded.updated_at`,
          values: [projectId, JSON.stringify(defaults), now],
        });
        const changed = namesOfChanged(before, defaults);
        if (changed !== "") {
          const details = { changed, ...changedValues(before, defaults) };
          await recordAuditEvent(transaction, act, { action: "monitoring-defaults.changed", details });
        }
        return defaults;
      }),
  };
}

/** The new scalar values; lists are recorded by name only. */
function changedValues(before: MonitoringDefaults, after: MonitoringDefaults) {
  const { enabledBuiltinPatterns: _, ...values } = after;
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => before[name as keyof typeof values] !== value),
  );
}

/** The same within a transaction, for planning checks. */
export const readDefaultsIn = onceInTransaction(async (transaction, projectId): Promise<MonitoringDefaults> => {
  return readDefaultsRow((await transaction.query<{ document: string }>(selectDefaults(projectId))).rows[0]);
});

/** The sent members of an agent's profile; empty without one. Read once per transaction. */
export const readProfileIn = onceInTransaction(
  async (transaction: Queryable, projectId: string, agentId: string): Promise<ProfileDocument> => {
    const { rows } = await transaction.query<ProfileRow>(selectProfile(projectId, agentId));
    return rows.map(readRow)[0]?.document ?? {};
  },
);

const columns = "id, agent_id, document::text, created_at, updated_at";

type ProfileRow = { id: string; agent_id: string; document: string; created_at: Date; updated_at: Date };

const readRow = (row: ProfileRow): StoredProfile => ({
  id: row.id,
  agentId: row.agent_id,
  document: JSON.parse(row.document) as ProfileDocument,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const readDefaultsRow = (row: { document: string } | undefined): MonitoringDefaults => ({
  ...initialDefaults,
  ...(row === undefined ? {} : (JSON.parse(row.document) as Partial<MonitoringDefaults>)),
});

const selectProfile = (projectId: string, agentId: string): Statement => ({
  name: "profile_read",
  text: `
    select ${columns}
    from monitor.profiles
    where project_id = $1
      and agent_id = $2`,
  values: [projectId, agentId],
});

const selectDefaults = (projectId: string): Statement => ({
  name: "project_settings_read",
  text: `
    select document::text
    from monitor.project_settings
    where project_id = $1`,
  values: [projectId],
});

async function lock(transaction: Queryable, what: string): Promise<void> {
  await transaction.query({
    name: "lock_profile",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [what],
  });
}
