import { limits, type promptSearch, type promptSearchReply } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

/** The label of the newest version. It moves by itself; a request that names it changes nothing. */
export const newestLabel = "latest";

export type PromptQuery = z.output<typeof promptSearch>;
export type FoundPrompts = z.output<typeof promptSearchReply>;

/** Prompts with their versions. */
export const promptSource = `
  evals.prompts
  join evals.prompt_versions as versions
    on versions.project_id = prompts.project_id
    and versions.prompt_id = prompts.id`;

/** By name, without texts. */
export async function searchPrompts(
  database: Database,
  projectId: string,
  { name, label, tag, offset, limit }: PromptQuery,
): Promise<FoundPrompts> {
  const matching = [projectId, name, label === newestLabel ? null : label, tag];
  const [found, counted] = await Promise.all([
    database.readScoped<FoundRow>([projectId], {
      name: "prompt_search",
      text: `
        select
          prompts.name, prompts.version, prompts.tags, prompts.updated_at,
          versions.messages is not null as is_chat,
          case when octet_length(versions.config::text) <= $7 then versions.config end as config,
          array(
            select labels.label
            from evals.prompt_labels as labels
            where labels.project_id = prompts.project_id
              and labels.prompt_id = prompts.id
            order by labels.label
          ) as labels
        from ${promptSource}
          and versions.version = prompts.version
        where ${isMatch}
        order by prompts.name
        limit $5 offset $6`,
      values: [...matching, limit, offset, limits.smallBodyMaxBytes],
    }),
    database.readScoped<{ count: number }>([projectId], {
      name: "prompt_search_count",
      text: `select count(*)::integer as count from evals.prompts where ${isMatch}`,
      values: matching,
    }),
  ]);
  return {
    prompts: found.rows.map(({ is_chat, updated_at, labels, ...row }) => ({
      ...row,
      type: is_chat ? "chat" : "text",
      labels: [...labels, newestLabel],
      updatedAt: updated_at.toISOString(),
    })),
    totalCount: counted.rows[0]?.count ?? 0,
  };
}

const isMatch = `
  prompts.project_id = $1
  and ($2::text is null or prompts.name = $2)
  and (
    $3::text is null
    or exists (
      select
      from evals.prompt_labels as labels
      where labels.project_id = prompts.project_id
        and labels.prompt_id = prompts.id
        and labels.label = $3
    )
  )
  and ($4::text is null or prompts.tags::jsonb ? $4)`;

type FoundRow = {
  name: string;
  version: number;
  tags: string[];
  updated_at: Date;
  is_chat: boolean;
  config: z.core.util.JSONType;
  labels: string[];
};
