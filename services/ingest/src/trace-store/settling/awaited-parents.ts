import type { Database, Statement, Transaction } from "@touchstone/db";
import type { Waiting } from "./due-rows.ts";

/** Children that wait for a parent. */
export const waitingChildren: Waiting = { table: "awaited_parents", key: "child_id", due: "due_at" };

/** A child that is due. */
export interface ChildRecord {
  project_id: string;
  dk: string;
  child_id: string;
  has_parent: boolean;
  /** Null, like the following columns, if the child itself was removed. */
  is_root: boolean | null;
  name: string;
  model: string | null;
  framework: string | null;
  latency_ms: number | null;
  session_id: string | null;
  has_error: boolean;
  agg_tokens: (number | null)[] | null;
  net_tokens: (number | null)[] | null;
  tools: string | null;
  flags: number;
  created_at: Date;
  source: string | null;
  /** Null unless the child has to be promoted. */
  body: Buffer | null;
}

/** Takes the children that are still due, one row for each; a parent that is being stored has its row. */
export async function takeChildren(
  transaction: Transaction,
  projectId: string,
  ids: readonly string[],
): Promise<ChildRecord[]> {
  const { rows } = await transaction.query<ChildRecord>({
    name: "awaited_parents_take",
    text: `
      select waiting.project_id, waiting.dk, waiting.child_id, has_parent,
        is_root, name, model, framework, latency_ms, session_id, has_error, agg_tokens, net_tokens, tools, flags,
        created_at, source, case when not is_root and not has_parent then body end as body
      from (
        select *
        from ingest.awaited_parents
        where project_id = $1 and child_id = any ($2::uuid[]) and due_at <= now()
        for update skip locked
      ) waiting
      cross join lateral (
        select exists (
          select from ingest.span_keys
          where span_keys.project_id = waiting.project_id and span_keys.dk = waiting.dk
        ) as has_parent
      ) parents
      left join lateral (
        select is_root, name, model, framework, latency_ms, session_id, has_error, agg_tokens, net_tokens, tools, flags,
          created_at, source, body
        from ingest.spans
        where spans.project_id = waiting.project_id and spans.id = waiting.child_id
        limit 1
      ) children on true`,
    values: [projectId, ids],
  });
  return rows;
}

/** Lets children wait for another day. */
export function buildRest(projectId: string, waiting: readonly string[]): Statement {
  return {
    name: "awaited_parents_rest",
    text: `
      update ingest.awaited_parents
      set due_at = now() + interval '1 day'
      where project_id = $1 and child_id = any ($2::uuid[])`,
    values: [projectId, waiting],
  };
}

/** Ends the waiting of children. */
export function buildServed(projectId: string, served: readonly string[]): Statement {
  return {
    name: "awaited_parents_served",
    text: "delete from ingest.awaited_parents where project_id = $1 and child_id = any ($2::uuid[])",
    values: [projectId, served],
  };
}

/** Puts a child off: over quota until tomorrow, else for a minute. */
export async function putOffChild(
  database: Database,
  projectId: string,
  id: string,
  isOverQuota: boolean,
): Promise<void> {
  await database.query({
    name: "awaited_parent_put_off",
    text: `
      update ingest.awaited_parents
      set due_at = case
        when $3 then (date_trunc('day', now() at time zone 'UTC') + interval '1 day') at time zone 'UTC'
        else now() + interval '1 minute'
      end
      where project_id = $1 and child_id = $2`,
    values: [projectId, id, isOverQuota],
  });
}
