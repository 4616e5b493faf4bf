import type { Queryable } from "@touchstone/db";
import { promptSource } from "./prompt-search-reader.ts";

/** What a version of a prompt says. JSON texts are as they were sent. */
export interface PromptContent {
  /** Of a chat prompt, the contents of its messages. */
  text: string;
  /** A JSON list; null: a text prompt. */
  messages: string | null;
  /** Any JSON, such as the model to call with the prompt. */
  config: string;
}

/** A prompt at one of its versions. */
export interface StoredPrompt extends PromptContent {
  id: string;
  name: string;
  description: string | null;
  version: number;
  isNewest: boolean;
  commitMessage: string | null;
  /** Those that name this version. */
  labels: readonly string[];
  /** Of the prompt at all versions. */
  tags: readonly string[];
  createdAt: Date;
  updatedAt: Date;
}

/** A version of a prompt; null when there is none. */
export async function readVersion(
  transaction: Queryable,
  projectId: string,
  promptId: string,
  version: number,
): Promise<StoredPrompt | null> {
  const { rows } = await transaction.query<PromptRow>({
    name: "prompt_read_version",
    text: `
      select ${versionColumns}
      from ${promptSource}
        and versions.version = $3
      where prompts.project_id = $1
        and prompts.id = $2`,
    values: [projectId, promptId, version],
  });
  return rows[0] === undefined ? null : readPromptRow(rows[0]);
}

/** The columns of a {@link PromptRow}, with `messages` and `config` as JSON. */
export const jsonColumns = `
  prompts.id, prompts.name, prompts.description, versions.version, versions.version = prompts.version as is_newest,
  versions.text, versions.messages, versions.config, versions.commit_message, prompts.tags, prompts.created_at,
  prompts.updated_at,
  array(
    select labels.label
    from evals.prompt_labels as labels
    where labels.project_id = prompts.project_id
      and labels.prompt_id = prompts.id
      and labels.version = versions.version
    order by labels.label
  ) as labels`;

/** The columns of a {@link PromptRow}. */
export const versionColumns = jsonColumns
  .replace("versions.messages", "versions.messages::text")
  .replace("versions.config", "versions.config::text");

/** A version of a prompt as it is stored. */
export type PromptRow = {
  id: string;
  name: string;
  description: string | null;
  version: number;
  is_newest: boolean;
  text: string;
  messages: string | null;
  config: string;
  commit_message: string | null;
  labels: string[];
  tags: string[];
  created_at: Date;
  updated_at: Date;
};

/** The prompt that a row holds. */
export const readPromptRow = (row: PromptRow): StoredPrompt => ({
  id: row.id,
  name: row.name,
  description: row.description,
  version: row.version,
  isNewest: row.is_newest,
  text: row.text,
  messages: row.messages,
  config: row.config,
  commitMessage: row.commit_message,
  labels: row.labels,
  tags: row.tags,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
