import type { Statement } from "@touchstone/db";
import { otlpFlag } from "./span-row.ts";
import type { ReadSpan, RootQuery } from "./trace-store.ts";

/** A row as PostgreSQL answers it. */
export interface SpanRecord {
  id: string;
  trace_key: string | null;
  span_id: string | null;
  parent_span_id: string | null;
  created_at: Date;
  started_at: Date | null;
  session_id: string | null;
  agent_id: string | null;
  name: string;
  kind: string;
  framework: string | null;
  source: string | null;
  model: string | null;
  latency_ms: number | null;
  own_tokens: (number | null)[] | null;
  flags: number;
  body: Buffer;
}

const narrowColumns = `
    id, trace_key, span_id, parent_span_id, created_at, started_at, session_id, agent_id, name, kind, framework, source,
    model, latency_ms, own_tokens, flags`;

/**
 * One page of roots, newest first, with one row more than asked for when there is a next page (it has no body), and on
 * each row the exact number of roots that match: both are of one snapshot, because it is one statement.
 */
export function buildRootList(query: RootQuery): Statement {
  const values: unknown[] = [query.projectId, query.limit];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  let filter = "";
  let countFilter = "";
  let name = "roots_list";
  if (query.framework !== null) {
    const framework = parameter(query.framework);
    filter += ` and framework = ${framework}`;
    countFilter += ` and framework = ${framework}`;
    name += "_framework";
  }
  if (query.source === "eval") {
    filter += " and source = 'eval-run'";
    countFilter += " and source = 'eval-run'";
    name += "_eval";
  }
  if (query.source === "production") {
    filter += " and source is null";
    countFilter += " and source = ''";
    name += "_production";
  }
  if (query.before !== null) {
    filter += ` and id < ${parameter(query.before)}`;
    name += "_before";
  }
  const text = `
    with page as (
      select ${narrowColumns},
        case when row_number() over (order by id desc) <= $2 then body end as body
      from ingest.spans
      where project_id = $1 and is_root${filter}
      order by id desc
      limit $2 + 1
    )
    select counts.total, page.*
    from (
      select coalesce(sum(n), 0) as total
      from ingest.root_counts
      where project_id = $1${countFilter}
    ) counts
    left join page on true
    order by page.id desc`;
  return { name, text, values };
}

/** One span by its id, which also names the partition to look in. */
export function buildTraceRead(projectId: string, id: string): Statement {
  const text = `
    select ${narrowColumns}, body
    from ingest.spans
    where project_id = $1 and id = $2`;
  return { name: "span_read", text, values: [projectId, id] };
}

/** Every span of a session, by start (else creation), then by span id: the same order whatever order they came in. */
export function buildSessionList(projectId: string, sessionId: string, traceKey: string | null): Statement {
  const columns = `${narrowColumns}, body`;
  const bySession = `
      select ${columns}
      from ingest.spans
      where project_id = $1 and session_id = $2`;
  const byTrace = `
      union all
      select ${columns}
      from ingest.spans
      where project_id = $1 and trace_key = $3 and flags & ${otlpFlag} <> 0 and session_id is distinct from $2`;
  const text = `
    select *
    from (${bySession}${traceKey === null ? "" : byTrace}
    ) spans
    order by coalesce(started_at, created_at), span_id, id`;
  return {
    name: traceKey === null ? "session_spans" : "session_or_trace_spans",
    text,
    values: traceKey === null ? [projectId, sessionId] : [projectId, sessionId, traceKey],
  };
}

export function toReadSpan(record: SpanRecord): ReadSpan {
  const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = record.own_tokens ?? [];
  const isOtlp = (record.flags & otlpFlag) !== 0;
  return {
    id: record.id,
    name: record.name,
    kind: record.kind,
    createdAtMs: record.created_at.getTime(),
    startedAtMs: record.started_at?.getTime() ?? null,
    latencyMs: record.latency_ms,
    framework: record.framework,
    model: record.model,
    sessionId: record.session_id ?? (isOtlp ? (record.trace_key?.replaceAll("-", "") ?? null) : null),
    spanId: record.span_id,
    parentSpanId: record.parent_span_id,
    source: record.source,
    agentId: record.agent_id,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cacheReadTokens: cacheReadTokens ?? null,
    cacheWriteTokens: cacheWriteTokens ?? null,
    body: record.body,
  };
}
