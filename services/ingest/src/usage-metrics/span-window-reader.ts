import type { Statement } from "@touchstone/db";
import { borrowedModelFlag } from "../model/span-row.ts";

/**
 * Forces a plan for the actual ids, since a generic plan expects few spans in a window. Nested loops are off, because
 * joining a hundred thousand children row by row would take hours; groups are hashed, because they are few, instead of
 * sorted.
 */
export const planning: Statement = {
  name: "figures_planning",
  text: "select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_nestloop', 'off', true), set_config('enable_sort', 'off', true)",
  values: [],
};

/**
 * The spans of project $1 with ids from $2 on, before $3; for an agent ($5), its roots and the spans that share their
 * trace or session with one of them and name no other agent.
 */
export function inWindow(isOfAgent: boolean): string {
  const span = "project_id = $1 and id >= $2 and id < $3";
  const ofAgent = `
    and (agent_id = $5::uuid or (agent_id is null and trace_key in (
      select trace_key
      from ingest.spans
      where ${span} and is_root and agent_id = $5::uuid and trace_key is not null
    )))`;
  return `from ingest.spans
    where ${span}${isOfAgent ? ofAgent : ""}`;
}

/** The bucket of a moment, $4 long and aligned to UTC. */
export const startOf = (moment: string): string => `date_bin($4::interval, ${moment}, timestamptz 'epoch')`;

/** Both counts are known; an embedding has no output tokens (completions 11.2). */
export const isPriceable = "net_tokens[1] is not null and (net_tokens[2] is not null or kind = 'embedding')";

/** The model that prices the tokens of a span: the one that it names itself (otlp 6, Cost). */
export const pricingModel = `case when flags & ${borrowedModelFlag} = 0 then model end`;

/** The input without cached parts. */
export const freshOf = (tokens: string): string =>
  `greatest(coalesce((${tokens})[1], 0) - coalesce((${tokens})[3], 0) - coalesce((${tokens})[4], 0), 0)`;

/** Null if no span reports any. */
export const tokenSums = `
  sum(net_tokens[1]) as input, sum(net_tokens[2]) as output, sum(net_tokens[3]) as cache_read,
  sum(net_tokens[4]) as cache_write, sum(case when net_tokens is not null then ${freshOf("net_tokens")} end) as fresh`;
