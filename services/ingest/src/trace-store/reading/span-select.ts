import type { Statement } from "@touchstone/db";
import type { Derivation } from "../../model/derivation.ts";
import type { ReadSpan } from "../../model/read-span.ts";
import { otlpFlag } from "../../model/span-row.ts";

/** A row of a span. */
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
  /** Rolled up, if different from its own. */
  tokens: (number | null)[] | null;
  flags: number;
  derived: string | null;
  /** A child's values from its OTel trace: session, shared facts (JSON), agent. */
  trace_wide: [string | null, string | null, string | null] | null;
  body: Buffer;
  /** Its live verdict as JSON: scores and topic. Null = none; read only for views that show it. */
  verdict?: [string | null, string | null] | null;
}

/** On `ingest.spans`, under that name. */
export const narrowColumns = `
    id, trace_key, span_id, parent_span_id, created_at, started_at, session_id, agent_id, name, kind, framework, source,
    model, latency_ms, coalesce(agg_tokens, own_tokens) as tokens, flags, derived,
    case when not is_root and flags & ${otlpFlag} <> 0 then (
      select json_build_array(traces.session_id, traces.shared, traces.agent_id)
      from ingest.traces
      where traces.project_id = spans.project_id and traces.trace_key = spans.trace_key
    ) end as trace_wide`;

/** On a row of `ingest.spans`, or of a page under the name `shown`: looked up for each returned row. */
export const verdictColumn = `(
      select array[judge_scores, topic]
      from ingest.trace_verdicts
      where trace_verdicts.project_id = $1 and trace_verdicts.trace_id = shown.id
    ) as verdict`;

/** One span by its id, which also identifies the partition. */
export function buildTraceRead(projectId: string, id: string): Statement {
  const text = `
    select shown.*, ${verdictColumn}
    from (
      select ${narrowColumns}, body
      from ingest.spans
      where project_id = $1 and id = $2
    ) shown`;
  return { name: "span_read", text, values: [projectId, id] };
}

export function toReadSpan(record: SpanRecord): ReadSpan {
  return { ...toBodilessSpan(record), body: record.body };
}

export function toBodilessSpan(record: Omit<SpanRecord, "body">): Omit<ReadSpan, "body"> {
  const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = record.tokens ?? [];
  const isOtlp = (record.flags & otlpFlag) !== 0;
  const [traceSession, shared, traceAgent] = record.trace_wide ?? [null, null, null];
  return {
    id: record.id,
    name: record.name,
    kind: record.kind,
    createdAtMs: record.created_at.getTime(),
    startedAtMs: record.started_at?.getTime() ?? null,
    latencyMs: record.latency_ms,
    framework: record.framework,
    model: record.model,
    sessionId: isOtlp ? (traceSession ?? record.session_id ?? nameOfTrace(record)) : record.session_id,
    spanId: record.span_id,
    parentSpanId: record.parent_span_id,
    source: record.source,
    agentId: record.agent_id ?? traceAgent,
    flags: record.flags,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cacheReadTokens: cacheReadTokens ?? null,
    cacheWriteTokens: cacheWriteTokens ?? null,
    traceKey: isOtlp ? record.trace_key : null,
    derived: mergeDerived(shared, record.derived),
    judgeScores: parseMaybe(record.verdict?.[0]),
    topic: parseMaybe(record.verdict?.[1]),
  };
}

function parseMaybe<Value>(json: string | null | undefined): Value | null {
  return json === null || json === undefined ? null : (JSON.parse(json) as Value);
}

function nameOfTrace(record: Pick<SpanRecord, "trace_key">): string | null {
  return record.trace_key?.replaceAll("-", "") ?? null;
}

function mergeDerived(shared: string | null, derived: string | null): Derivation | null {
  if (shared === null) return derived === null ? null : (JSON.parse(derived) as Derivation);
  return { ...JSON.parse(shared), ...(derived === null ? {} : JSON.parse(derived)) };
}
