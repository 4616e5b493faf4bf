import { otlpFlag } from "../model/span-row.ts";
import { freshOf, isPriceable, startOf } from "./span-window-reader.ts";

/** Spans between one that used tokens and the next ancestor that reports any. */
const silentParentsMax = 32;

/**
 * Usage that REST spans repeat of their children, which are separate rows without roll-up: tokens (at most the parent's
 * own report), as negative numbers under the parent's model; and tool calls that a parent lists and that exist as spans
 * as well. A child whose parent began outside the window repeats nothing.
 *
 * Rows of spans are read only if there are such children; a project without any costs one index lookup.
 */
export function buildRepeatRead(spans: string): string {
  return `
  ${repeatedOfSpans(spans)}
  select 'tokens' as part, ${startOf("created_at")} as start, model as name, is_priceable as flag,
         count(*)::integer as n, ${repeatedTokenSums}
  from repeated
  group by 2, 3, 4
  union all
  select 'tool', ${startOf("child.created_at")}, child.tools, true, count(*)::integer, null, null, null, null, null
  from rest as child
  join rest as parent on parent.span_id = child.parent_span_id
  where child.tools is not null and child.kind = 'tool' and parent.tools is not null and parent.kind <> 'tool'
  group by 2, 3`;
}

/** The columns that subtract the repeated usage in the rows of `repeated`. */
export const repeatedTokenSums = `
  -sum(tokens[1]) as input, -sum(tokens[2]) as output, -sum(tokens[3]) as cache_read,
  -sum(tokens[4]) as cache_write,
  sum(${freshOf("array[said[1] - tokens[1], said[2] - tokens[2], said[3] - tokens[3], said[4] - tokens[4]]")}
    - ${freshOf("said")}) as fresh`;

/**
 * The parts of a `with recursive` that ends in `repeated`: each span that repeats tokens, its report, and the repeated
 * part.
 */
export function repeatedOfSpans(spans: string): string {
  return `with recursive rest as materialized (
    select id, span_id, parent_span_id, created_at, kind, is_root, agent_id, trace_key, model, net_tokens, tools,
           ${isPriceable} as is_priceable
    ${spans}
      and flags & ${otlpFlag} = 0
      and (span_id is not null or parent_span_id is not null)
      and exists (
        select ${spans}
          and flags & ${otlpFlag} = 0
          and not is_root
          and (net_tokens is not null or tools is not null)
      )
  ),
  reports (child_id, tokens, at, depth) as (
    select id, net_tokens, parent_span_id, 1
    from rest
    where not is_root and net_tokens is not null
    union all
    select reports.child_id, reports.tokens, rest.parent_span_id, reports.depth + 1
    from reports
    join rest on rest.span_id = reports.at
    where rest.net_tokens is null and rest.parent_span_id is not null and reports.depth < ${silentParentsMax}
  ),
  repeated as (
    select rest.id, rest.created_at, rest.agent_id, rest.trace_key, rest.model, rest.is_priceable,
           rest.net_tokens as said,
           array[${[1, 2, 3, 4].map(repeatedOf).join(", ")}] as tokens
    from reports
    join rest on rest.span_id = reports.at
    where rest.net_tokens is not null and reports.child_id <> rest.id
    group by rest.id, rest.created_at, rest.agent_id, rest.trace_key, rest.model, rest.is_priceable, rest.net_tokens
  )`;
}

/** For a component that the parent reports, the sum of its children, at most the report; null if it reports none. */
function repeatedOf(component: number): string {
  const said = `rest.net_tokens[${component}]`;
  return `case when ${said} is not null then least(${said}, coalesce(sum(reports.tokens[${component}]), 0)) end`;
}
