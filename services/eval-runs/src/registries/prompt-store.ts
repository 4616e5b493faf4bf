import { limits } from "@touchstone/contracts";
import { type Database, type ListQuery, type Queryable, selectPart } from "@touchstone/db";
import { AppError, compactText, type ListPage, type SizedRow } from "@touchstone/service-kit";
import { readList } from "../queries/list-query.ts";
import { type FoundPrompts, type PromptQuery, promptSource, searchPrompts } from "./prompt-search-reader.ts";
import {
  jsonColumns,
  type PromptContent,
  type PromptRow,
  readPromptRow,
  readVersion,
  type StoredPrompt,
  versionColumns,
} from "./prompt-version-reader.ts";

/** A prompt to publish. */
export interface PublishedPrompt extends PromptContent {
  id: string;
  name: string;
  description: string | null;
  commitMessage: string | null;
  /** They move to the version. */
  labels: readonly string[];
  /** Null keeps the current ones. */
  tags: readonly string[] | null;
  at: Date;
}

/** Which version of a prompt: of both null, the newest. */
export interface WantedVersion {
  version: number | null;
  label: string | null;
}

export interface PromptStore {
  /**
   * Publishes a content under a name: the first one creates the prompt, another one a new version, and repeating the newest one
   * only moves labels. A null description keeps the current one. Publishers of one name wait for each other.
   */
  publish(projectId: string, prompt: PublishedPrompt): Promise<StoredPrompt>;
  /** Moves labels to a version of a prompt; other labels stay where they are. Null: no such version. */
  moveLabels(
    projectId: string,
    key: PromptKey,
    to: { version: number; labels: readonly string[] },
  ): Promise<StoredPrompt | null>;
  /** By name, which is also the cursor. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredPrompt>>;
  find(projectId: string, key: PromptKey, wanted: WantedVersion): Promise<StoredPrompt | null>;
  /** By name, without texts; `totalCount` counts all matches. */
  search(projectId: string, query: PromptQuery): Promise<FoundPrompts>;
}

/** By id, else by name. */
export interface PromptKey {
  id: string | null;
  name: string;
}

export function createPromptStore(database: Database): PromptStore {
  return {
    publish: (projectId, prompt) =>
      database.scoped([projectId], (transaction) => publish(transaction, projectId, prompt)),

    moveLabels: (projectId, key, to) =>
      database.scoped([projectId], async (transaction) => {
        const prompt = await lockPrompt(transaction, projectId, key);
        if (prompt === null || (await readVersion(transaction, projectId, prompt.id, to.version)) === null) return null;
        await placeLabels(transaction, projectId, prompt.id, to);
        return readVersion(transaction, projectId, prompt.id, to.version);
      }),

    async list(projectId, query) {
      const page = await readList<PromptRow & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ name }) => name,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "prompt_list",
          text: selectPart({
            rows: `
              select ${jsonColumns}, versions.content_bytes
              from ${promptSource}
                and versions.version = prompts.version
              where prompts.project_id = $1
                and ($2::text is null or prompts.name > $2)
              order by prompts.name
              limit $3`,
            large: ["description"],
            stored: { content_bytes: ["text", "messages", "config"] },
            order: "name",
            columns: `id, name, description, version, is_newest, text, messages::text, config::text, commit_message, labels, tags,
              created_at, updated_at`,
            bytesMax: "$4",
          }),
          values: [projectId, cursor, rowsMax, bytesMax],
        }),
      });
      return { ...page, rows: page.rows.map(readPromptRow) };
    },

    async find(projectId, { id, name }, { version, label }) {
      const { rows } = await database.readScoped<PromptRow>([projectId], {
        name: "prompt_find",
        text: `
          select ${versionColumns}
          from ${promptSource}
            and versions.version = case
              when $5::text is null then coalesce($4, prompts.version)
              else (
                select wanted.version
                from evals.prompt_labels as wanted
                where wanted.project_id = $1
                  and wanted.prompt_id = prompts.id
                  and wanted.label = $5
              )
            end
          where prompts.project_id = $1
            and (prompts.id = $2 or prompts.name = $3)
          order by prompts.id = $2 desc
          limit 1`,
        values: [projectId, id, name, version, label],
      });
      return rows[0] === undefined ? null : readPromptRow(rows[0]);
    },

    search: (projectId, query) => searchPrompts(database, projectId, query),
  };
}

async function publish(
  transaction: Queryable,
  projectId: string,
  { id, name, description, tags, at, labels, commitMessage, ...content }: PublishedPrompt,
): Promise<StoredPrompt> {
  await transaction.query({
    name: "prompt_claim_name",
    text: `
      insert into evals.prompts (project_id, id, name, description, version, created_at, updated_at)
      values ($1, $2, $3, $4, 0, $5, $5)
      on conflict (project_id, name) do nothing`,
    values: [projectId, id, name, JSON.stringify(description), at],
  });
  const prompt = (await lockPrompt(transaction, projectId, { id: null, name })) as LockedPrompt;
  const isNew = !isSame(prompt.newest, content);
  const version = isNew ? prompt.version + 1 : prompt.version;
  if (isNew) {
    await transaction.query({
      name: "prompt_version_insert",
      text: `
        insert into evals.prompt_versions (
          project_id, prompt_id, version, text, messages, config, commit_message, created_at
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [
        projectId,
        prompt.id,
        version,
        JSON.stringify(content.text),
        content.messages,
        content.config,
        commitMessage === null ? null : JSON.stringify(commitMessage),
        at,
      ],
    });
  }
  await transaction.query({
    name: "prompt_update",
    text: `
      update evals.prompts
      set version = $3,
          description = case when $4::json::text = 'null' then description else $4::json end,
          tags = coalesce($5, tags),
          updated_at = case when $6 then $7 else updated_at end
      where project_id = $1
        and id = $2`,
    values: [
      projectId,
      prompt.id,
      version,
      JSON.stringify(description),
      tags === null ? null : JSON.stringify(tags),
      isNew,
      at,
    ],
  });
  await placeLabels(transaction, projectId, prompt.id, { version, labels });
  return (await readVersion(transaction, projectId, prompt.id, version)) as StoredPrompt;
}

interface LockedPrompt {
  id: string;
  version: number;
  /** Null: it has no version yet. */
  newest: PromptContent | null;
}

async function lockPrompt(
  transaction: Queryable,
  projectId: string,
  { id, name }: PromptKey,
): Promise<LockedPrompt | null> {
  const { rows } = await transaction.query<{ id: string; version: number }>({
    name: "prompt_lock",
    text: `
      select id, version
      from evals.prompts
      where project_id = $1
        and (id = $2 or name = $3)
      order by id = $2 desc
      limit 1
      for update`,
    values: [projectId, id, name],
  });
  const [prompt] = rows;
  if (prompt === undefined) return null;
  // Read after the lock was waited for.
  return { ...prompt, newest: await readVersion(transaction, projectId, prompt.id, prompt.version) };
}

function isSame(newest: PromptContent | null, { text, messages, config }: PromptContent): boolean {
  if (newest === null || newest.text !== text || (newest.messages === null) !== (messages === null)) return false;
  return (
    compactText(newest.config) === compactText(config) &&
    compactText(newest.messages ?? "") === compactText(messages ?? "")
  );
}

/** Under the lock of the prompt. Throws `bad_request` when the prompt would have too many labels. */
async function placeLabels(
  transaction: Queryable,
  projectId: string,
  promptId: string,
  { version, labels }: { version: number; labels: readonly string[] },
): Promise<void> {
  if (labels.length === 0) return;
  await transaction.query({
    name: "prompt_labels_move",
    text: `
      insert into evals.prompt_labels (project_id, prompt_id, label, version)
      select $1, $2, label, $4
      from unnest($3::text[]) as label
      on conflict (project_id, prompt_id, label) do update
      set version = excluded.version`,
    values: [projectId, promptId, [...new Set(labels)], version],
  });
  const { rows } = await transaction.query<{ count: number }>({
    name: "prompt_labels_count",
    text: `
      select count(*)::integer as count
      from evals.prompt_labels
      where project_id = $1
        and prompt_id = $2`,
    values: [projectId, promptId],
  });
  if ((rows[0]?.count ?? 0) > limits.promptLabelsMax) {
    throw new AppError("bad_request", `A prompt has at most ${limits.promptLabelsMax} labels`);
  }
}
