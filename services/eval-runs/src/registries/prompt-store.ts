import { type Database, selectPart } from "@touchstone/db";
import type { ListPage, SizedRow } from "@touchstone/service-kit";
import { type ListQuery, readList } from "../queries/read-list.ts";

/** A prompt at one of its versions. */
export interface StoredPrompt {
  id: string;
  name: string;
  description: string | null;
  version: number;
  text: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface PromptStore {
  /**
   * Publishes a text under a name: the first one creates the prompt, another one a new version, and repeating the newest one
   * changes nothing. A null description keeps the current one. Publishers of one name wait for each other.
   */
  publish(
    projectId: string,
    prompt: { id: string; name: string; description: string | null; text: string; at: Date },
  ): Promise<StoredPrompt>;
  /** By name, which is also the cursor. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredPrompt>>;
  /** By id, else by name; null version = the newest. */
  find(
    projectId: string,
    key: { id: string | null; name: string },
    version: number | null,
  ): Promise<StoredPrompt | null>;
}

export function createPromptStore(database: Database): PromptStore {
  return {
    publish: (projectId, { id, name, description, text, at }) =>
      database.scoped([projectId], async (transaction) => {
        await transaction.query({
          name: "prompt_claim_name",
          text: `
            insert into evals.prompts (project_id, id, name, description, version, created_at, updated_at)
            values ($1, $2, $3, $4, 0, $5, $5)
            on conflict (project_id, name) do nothing`,
          values: [projectId, id, name, JSON.stringify(description), at],
        });
        const { rows } = await transaction.query<{ id: string; version: number; newest: string | null }>({
          name: "prompt_lock",
          text: `
            select
              id, version,
              (
                select text
                from evals.prompt_versions as versions
                where versions.project_id = $1
                  and versions.prompt_id = prompts.id
                  and versions.version = prompts.version
              ) as newest
            from evals.prompts
            where project_id = $1
              and name = $2
            for update`,
          values: [projectId, name],
        });
        const prompt = rows[0] as (typeof rows)[number];
        const isNew = prompt.newest !== text;
        const version = isNew ? prompt.version + 1 : prompt.version;
        if (isNew) {
          await transaction.query({
            name: "prompt_version_insert",
            text: `
              insert into evals.prompt_versions (project_id, prompt_id, version, text, created_at)
              values ($1, $2, $3, $4, $5)`,
            values: [projectId, prompt.id, version, JSON.stringify(text), at],
          });
        }
        const updated = await transaction.query<PromptRow>({
          name: "prompt_update",
          text: `
            update evals.prompts
            set version = $3,
                description = case when $4::json::text = 'null' then description else $4::json end,
                updated_at = case when $5 then $6 else updated_at end
            where project_id = $1
              and id = $2
            returning id, name, description, version, $7::json as text, created_at, updated_at`,
          values: [projectId, prompt.id, version, JSON.stringify(description), isNew, at, JSON.stringify(text)],
        });
        return readRow(updated.rows[0] as PromptRow);
      }),

    async list(projectId, query) {
      const page = await readList<PromptRow & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ name }) => name,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "prompt_list",
          text: selectPart({
            rows: `
              select prompts.*, versions.text
              from ${source}
                and versions.version = prompts.version
              where prompts.project_id = $1
                and ($2::text is null or prompts.name > $2)
              order by prompts.name
              limit $3`,
            large: ["text", "description"],
            order: "name",
            columns: "id, name, description, version, text, created_at, updated_at",
            bytesMax: "$4",
          }),
          values: [projectId, cursor, rowsMax, bytesMax],
        }),
      });
      return { ...page, rows: page.rows.map(readRow) };
    },

    async find(projectId, { id, name }, version) {
      const { rows } = await database.readScoped<PromptRow>([projectId], {
        name: "prompt_find",
        text: `
          select ${columns}
          from ${source}
            and versions.version = coalesce($4, prompts.version)
          where prompts.project_id = $1
            and (prompts.id = $2 or prompts.name = $3)
          order by prompts.id = $2 desc
          limit 1`,
        values: [projectId, id, name, version],
      });
      return rows[0] === undefined ? null : readRow(rows[0]);
    },
  };
}

const columns = `
  prompts.id, prompts.name, prompts.description, versions.version, versions.text, prompts.created_at,
  prompts.updated_at`;

const source = `
  evals.prompts
  join evals.prompt_versions as versions
    on versions.project_id = prompts.project_id
    and versions.prompt_id = prompts.id`;

type PromptRow = {
  id: string;
  name: string;
  description: string | null;
  version: number;
  text: string;
  created_at: Date;
  updated_at: Date;
};

const readRow = (row: PromptRow): StoredPrompt => ({
  id: row.id,
  name: row.name,
  description: row.description,
  version: row.version,
  text: row.text,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
