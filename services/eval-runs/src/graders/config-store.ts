import { type Database, type ListQuery, type Queryable, selectPart } from "@touchstone/db";
import type { Act, ListPage, SizedRow } from "@touchstone/service-kit";
import type { GradingSource } from "../grading/plan.ts";
import { recordAuditEvent } from "../outbox.ts";
import { readList } from "../queries/list-query.ts";
import type { OnlineProfile } from "./online-profile.ts";

/** A grading config at its newest version. `document` was made by {@link composeConfigDocument}. */
export interface StoredConfig {
  id: string;
  version: number;
  document: string;
  isDefault: boolean;
  /** The seed it was made from; null = a user created it. */
  seedKey: string | null;
  online: OnlineProfile | null;
  createdAt: Date;
  versionCount: number;
}

/** One version of a grading config. */
export type ConfigVersion = {
  version: number;
  document: string;
  changeSummary: string;
  createdAt: Date;
};

/** Grading configs: the API's evaluation settings and judge scorers are one entity with one id (completions 4). */
export interface ConfigStore {
  find(projectId: string, id: string): Promise<StoredConfig | null>;
  /** The project's configs, newest first. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredConfig>>;
  /** The configs with a live profile, newest first, in parts: each may be large. */
  live(projectId: string): AsyncIterable<StoredConfig>;
  /** The newest documents of the existing configs, in any order. */
  readDocuments(projectId: string, ids: readonly string[]): Promise<GradingSource[]>;
  /** Newest first; the cursor is a version's number. */
  listVersions(projectId: string, id: string, query: ListQuery<number>): Promise<ListPage<ConfigVersion>>;
  /** False when there is no such version, or it is the newest. */
  deleteVersion(projectId: string, id: string, version: number, act: Act): Promise<boolean>;
}

export function createConfigStore(database: Database): ConfigStore {
  async function list(projectId: string, query: ListQuery, which: "all" | "live"): Promise<ListPage<StoredConfig>> {
    const page = await readList<ConfigRow & SizedRow, string>(database, projectId, query, {
      cursorOf: ({ id }) => id,
      statement: (cursor, { rowsMax, bytesMax }) => ({
        name: which === "all" ? "config_list" : "config_list_live",
        // Newest first: an id begins with its creation time in milliseconds.
        text: selectPart({
          rows: `
            select configs.*, versions.document, versions.document_bytes
            from ${configSource}
            where configs.project_id = $1
              and ($2::uuid is null or configs.id < $2)
              ${which === "all" ? "" : "and configs.online is not null"}
            order by configs.id desc
            limit $3`,
          stored: { document_bytes: ["document"] },
          order: "id desc",
          columns: listedColumns,
          bytesMax: "$4",
        }),
        values: [projectId, cursor, rowsMax, bytesMax],
      }),
    });
    return { ...page, rows: page.rows.map(readRow) };
  }

  return {
    async find(projectId, id) {
      return (
        (await database.readScoped<ConfigRow>([projectId], selectConfig(projectId, id))).rows.map(readRow)[0] ?? null
      );
    },

    list: (projectId, query) => list(projectId, query, "all"),

    async *live(projectId) {
      let cursor: string | null = null;
      do {
        const page = await list(projectId, { cursor, limit: liveAtOnce, makeRoom: async () => {} }, "live");
        yield* page.rows;
        cursor = page.hasNextPage ? (page.rows.at(-1)?.id ?? null) : null;
      } while (cursor !== null);
    },

    async readDocuments(projectId, ids) {
      const { rows } = await database.readScoped<GradingSource & { version: number }>([projectId], {
        name: "config_read_documents",
        text: `
          select configs.id, configs.version, versions.document::text
          from ${configSource}
          where configs.project_id = $1
            and configs.id = any ($2)`,
        values: [projectId, ids],
      });
      return rows;
    },

    listVersions: (projectId, id, query) =>
      readList<ConfigVersion & SizedRow, number>(database, projectId, query, {
        cursorOf: ({ version }) => version,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "config_list_versions",
          text: selectPart({
            rows: `
              select version, document, document_bytes, change_summary, created_at
              from evals.grading_config_versions
              where project_id = $1
                and config_id = $2
                and ($3::integer is null or version < $3)
              order by version desc
              limit $4`,
            stored: { document_bytes: ["document"] },
            order: "version desc",
            columns: 'version, document::text, change_summary as "changeSummary", created_at as "createdAt"',
            bytesMax: "$5",
          }),
          values: [projectId, id, cursor, rowsMax, bytesMax],
        }),
      }),

    async deleteVersion(projectId, id, version, act) {
      return database.scoped([projectId], async (transaction) => {
        const { rowCount } = await transaction.query({
          name: "config_delete_version",
          text: `
            delete from evals.grading_config_versions as versions
            using evals.grading_configs as configs
            where versions.project_id = $1
              and versions.config_id = $2
              and versions.version = $3
              and configs.project_id = versions.project_id
              and configs.id = versions.config_id
              and configs.version > versions.version`,
          values: [projectId, id, version],
        });
        if (rowCount !== 1) return false;
        await recordAuditEvent(transaction, act, {
          action: "grading-config-version.deleted",
          targetId: id,
          details: { version },
        });
        return true;
      });
    },
  };
}

/** Reads a config under {@link lockGraders}. */
export async function findConfig(transaction: Queryable, projectId: string, id: string): Promise<StoredConfig | null> {
  const { rows } = await transaction.query<ConfigRow>(selectConfig(projectId, id));
  return rows.map(readRow)[0] ?? null;
}

/** The number of configs of a project. */
export async function countConfigs(transaction: Queryable, projectId: string): Promise<number> {
  const { rows } = await transaction.query<{ count: number }>({
    name: "config_count",
    text: `
      select count(*)::integer as count
      from evals.grading_configs
      where project_id = $1`,
    values: [projectId],
  });
  return rows[0]?.count ?? 0;
}

/** Stores a new config with its first version, both or neither. */
export async function insertConfig(
  transaction: Queryable,
  projectId: string,
  config: Omit<StoredConfig, "version" | "versionCount">,
): Promise<void> {
  await transaction.query({
    name: "config_insert",
    text: `
      with first_version as (
        insert into evals.grading_config_versions (project_id, config_id, version, document, change_summary, created_at)
        values ($1, $2, 1, $3, 'Created', $4)
      )
      insert into evals.grading_configs (project_id, id, version, is_default, seed_key, online, created_at)
      values ($1, $2, 1, $5, $6, $7, $4)`,
    values: [
      projectId,
      config.id,
      config.document,
      config.createdAt,
      config.isDefault,
      config.seedKey,
      config.online && JSON.stringify(config.online),
    ],
  });
}

/** Stores a changed config. */
export async function updateConfig(
  transaction: Queryable,
  projectId: string,
  { id, version, isDefault, online }: Pick<StoredConfig, "id" | "version" | "isDefault" | "online">,
): Promise<void> {
  await transaction.query({
    name: "config_update",
    text: `
      update evals.grading_configs
      set version = $3,
          is_default = $4,
          online = $5
      where project_id = $1
        and id = $2`,
    values: [projectId, id, version, isDefault, online && JSON.stringify(online)],
  });
}

export async function insertConfigVersion(
  transaction: Queryable,
  projectId: string,
  configId: string,
  { version, document, changeSummary, createdAt }: ConfigVersion,
): Promise<void> {
  await transaction.query({
    name: "config_insert_version",
    text: `
      insert into evals.grading_config_versions (project_id, config_id, version, document, change_summary, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    values: [projectId, configId, version, document, changeSummary, createdAt],
  });
}

/** Removes the default mark from the config that has it: there is at most one. */
export async function clearDefaultConfig(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "config_clear_default",
    text: `
      update evals.grading_configs
      set is_default = false
      where project_id = $1
        and is_default`,
    values: [projectId],
  });
}

/** Deletes a config with all its versions. */
export async function deleteConfig(transaction: Queryable, projectId: string, id: string): Promise<void> {
  await transaction.query({
    name: "config_delete",
    text: `
      with versions as (
        delete from evals.grading_config_versions
        where project_id = $1
          and config_id = $2
      )
      delete from evals.grading_configs
      where project_id = $1
        and id = $2`,
    values: [projectId, id],
  });
}

/** The number of configs read at a time, however small. */
const liveAtOnce = 50;

const versionCountOf = (source: string): string => `(
    select count(*)::integer
    from evals.grading_config_versions as kept
    where kept.project_id = ${source}.project_id
      and kept.config_id = ${source}.id
  ) as version_count`;

const configColumns = `
  configs.id, configs.version, versions.document::text, configs.is_default, configs.seed_key, configs.online::text,
  configs.created_at, ${versionCountOf("configs")}`;

const listedColumns = `
  id, version, document::text, is_default, seed_key, online::text, created_at, ${versionCountOf("sized")}`;

const configSource = `
  evals.grading_configs as configs
  join evals.grading_config_versions as versions
    on versions.project_id = configs.project_id
    and versions.config_id = configs.id
    and versions.version = configs.version`;

const selectConfig = (projectId: string, id: string) => ({
  name: "config_find",
  text: `
    select ${configColumns}
    from ${configSource}
    where configs.project_id = $1
      and configs.id = $2`,
  values: [projectId, id],
});

type ConfigRow = {
  id: string;
  version: number;
  document: string;
  is_default: boolean;
  seed_key: string | null;
  online: string | null;
  created_at: Date;
  version_count: number;
};

const readRow = (row: ConfigRow): StoredConfig => ({
  id: row.id,
  version: row.version,
  document: row.document,
  isDefault: row.is_default,
  seedKey: row.seed_key,
  online: row.online === null ? null : JSON.parse(row.online),
  createdAt: row.created_at,
  versionCount: row.version_count,
});
