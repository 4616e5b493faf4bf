import type { Database } from "@touchstone/db";
import { firstIdOf } from "../spans/root-conditions.ts";
import { otlpFlag } from "../spans/span-row.ts";

/** What the spans of one session add up to, those of a window of time. */
export interface SessionSummary {
  sessionId: string;
  /** Of its newest root; null when it has none. */
  agent: { id: string; name: string | null } | null;
  /** Roots. */
  turnCount: number;
  spanCount: number;
  /** Spans with an error, roots or not. */
  errorCount: number;
  /** Of its roots. */
  totalLatencyMs: number;
  firstAt: Date;
  lastAt: Date;
}

interface SessionRecord {
  session_id: string;
  agent_id: string | null;
  agent_name: string | null;
  turns: number;
  spans: number;
  errors: number;
  latency_ms: number;
  first_at: Date;
  last_at: Date;
}

/** The overview of a project's sessions (completions 2.7). */
export interface SessionStore {
  /** Sessions with a span created since then, newest activity first; spans without a session are left out. */
  listSessions(projectId: string, sinceMs: number, limit: number): Promise<SessionSummary[]>;
}

export function createSessionStore(reading: Database): SessionStore {
  return {
    async listSessions(projectId, sinceMs, limit) {
      const { rows } = await reading.readScoped<SessionRecord>([projectId], {
        name: "sessions_list",
        // A REST span says its session itself; that of an OTel trace holds for all its spans.
        text: `
          with listed as (
            select session_id,
              count(*) filter (where is_root)::integer as turns,
              count(*)::integer as spans,
              count(*) filter (where has_error)::integer as errors,
              coalesce(sum(latency_ms) filter (where is_root), 0) as latency_ms,
              min(created_at) as first_at,
              max(created_at) as last_at,
              substr(max(id::text || agent_id::text) filter (where is_root), 37)::uuid as agent_id
            from (
              select spans.id, spans.is_root, spans.has_error, spans.latency_ms, spans.created_at, spans.agent_id,
                case when spans.flags & ${otlpFlag} = 0 then spans.session_id
                  else coalesce(traces.session_id, spans.session_id, replace(spans.trace_key::text, '-', '')) end
                  as session_id
              from ingest.spans
              left join ingest.traces
                on traces.project_id = $1 and traces.trace_key = spans.trace_key and spans.flags & ${otlpFlag} <> 0
              where spans.project_id = $1 and spans.id >= $2
            ) spans
            where session_id is not null
            group by session_id
            order by last_at desc, session_id
            limit $3
          )
          select listed.*, agents.name as agent_name
          from listed
          left join ingest.agents on agents.project_id = $1 and agents.id = listed.agent_id
          order by last_at desc, session_id`,
        values: [projectId, firstIdOf(sinceMs), limit],
      });
      return rows.map((row) => ({
        sessionId: row.session_id,
        agent: row.agent_id === null ? null : { id: row.agent_id, name: row.agent_name },
        turnCount: row.turns,
        spanCount: row.spans,
        errorCount: row.errors,
        totalLatencyMs: row.latency_ms,
        firstAt: row.first_at,
        lastAt: row.last_at,
      }));
    },
  };
}
