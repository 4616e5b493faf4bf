import type { Database } from "@touchstone/db";
import { toUuid } from "../../model/ids.ts";
import { otlpFlag } from "../../model/span-row.ts";
import { firstIdOf } from "./root-conditions.ts";

/** The totals of one session, over the spans in a window of time. */
export interface SessionSummary {
  sessionId: string;
  /** Of its newest root; null if it has none. */
  agent: { id: string; name: string | null } | null;
  /** Its first root in the window; null if it has none, or if its body is too large for a list. */
  firstRootId: string | null;
  /** Roots. */
  turnCount: number;
  spanCount: number;
  /** Spans with an error, including children. */
  errorCount: number;
  /** Of its roots. */
  totalLatencyMs: number;
  firstAt: Date;
  lastAt: Date;
  /** The latest live verdict; null = none. */
  verdict: SessionVerdict | null;
}

export interface SessionVerdict {
  /** The headline (completions 2.3). */
  rating: number;
  scorerName: string;
  checkedAt: Date;
  judges: { name: string; rating: number }[];
}

interface SessionRecord {
  session_id: string;
  agent_id: string | null;
  agent_name: string | null;
  first_root: string | null;
  turns: number;
  spans: number;
  errors: number;
  latency_ms: number;
  first_at: Date;
  last_at: Date;
  /** Null, like the following members, if there is no live verdict. */
  rating: number | null;
  scorer_name: string | null;
  checked_at: Date | null;
  judges: string | null;
}

function toVerdict({ rating, scorer_name: scorerName, checked_at: checkedAt, judges }: SessionRecord) {
  if (rating === null || scorerName === null || checkedAt === null || judges === null) return null;
  return { rating, scorerName, checkedAt, judges: JSON.parse(judges) as SessionVerdict["judges"] };
}

/** The sessions of a project. */
export interface SessionStore {
  /**
   * Their overview (completions 2.7): sessions with a span created since then, newest activity first; spans without a
   * session are left out.
   */
  listSessions(projectId: string, sinceMs: number, limit: number): Promise<SessionSummary[]>;
  /** Ids of the roots of a session or, by its 32 hexadecimal digits, of an OTel trace: the first `limit` by start. */
  findRoots(projectId: string, sessionId: string, limit: number): Promise<string[]>;
}

/** Larger bodies are not read for a list of up to a thousand sessions. */
const listedBodyBytesMax = 65_536;

export function createSessionStore(reading: Database): SessionStore {
  return {
    async listSessions(projectId, sinceMs, limit) {
      const { rows } = await reading.readScoped<SessionRecord>([projectId], {
        name: "sessions_list",
        // A REST span states its session; an OTel trace has one session for all its spans. Traces are looked up one by
        // one: in a join with tables that were never analysed, each span would read all traces of the project.
        text: `
          with parts as (
            select trace_key, session_id,
              count(*) filter (where is_root) as turns,
              count(*) as spans,
              count(*) filter (where has_error) as errors,
              sum(latency_ms) filter (where is_root) as latency_ms,
              min(created_at) as first_at,
              max(created_at) as last_at,
              max(id::text || agent_id::text) filter (where is_root) as newest,
              min(id::text) filter (where is_root) as first
            from (
              select id, is_root, has_error, latency_ms, created_at, agent_id, session_id,
                case when flags & ${otlpFlag} <> 0 then trace_key end as trace_key
              from ingest.spans
              where project_id = $1 and id >= $2
            ) spans
            where session_id is not null or trace_key is not null
            group by trace_key, session_id
          ),
          listed as (
            select coalesce(traces.session_id, parts.session_id, replace(parts.trace_key::text, '-', '')) as session_id,
              sum(turns)::integer as turns,
              sum(spans)::integer as spans,
              sum(errors)::integer as errors,
              coalesce(sum(latency_ms), 0) as latency_ms,
              min(first_at) as first_at,
              max(last_at) as last_at,
              substr(max(newest), 37)::uuid as agent_id,
              min(first)::uuid as first_id
            from parts
            left join lateral (
              select session_id
              from ingest.traces
              where traces.project_id = $1 and traces.trace_key = parts.trace_key
              limit 1
            ) traces on true
            group by 1
            order by last_at desc, 1
            limit $3
          )
          select listed.*, roots.id as first_root, agents.name as agent_name, verdicts.rating, verdicts.scorer_name, verdicts.checked_at,
            verdicts.judges
          from listed
          left join lateral (
            select id
            from ingest.spans
            where project_id = $1 and id = listed.first_id and octet_length(body) <= ${listedBodyBytesMax}
            limit 1
          ) roots on true
          left join lateral (
            select name from ingest.agents where project_id = $1 and id = listed.agent_id limit 1
          ) agents on true
          left join lateral (
            select rating, scorer_name, checked_at, judges
            from ingest.session_verdicts
            where project_id = $1 and session_id = listed.session_id
            limit 1
          ) verdicts on true
          order by last_at desc, session_id`,
        values: [projectId, firstIdOf(sinceMs), limit],
      });
      return rows.map((row) => ({
        sessionId: row.session_id,
        agent: row.agent_id === null ? null : { id: row.agent_id, name: row.agent_name },
        firstRootId: row.first_root,
        turnCount: row.turns,
        spanCount: row.spans,
        errorCount: row.errors,
        totalLatencyMs: row.latency_ms,
        firstAt: row.first_at,
        lastAt: row.last_at,
        verdict: toVerdict(row),
      }));
    },

    async findRoots(projectId, sessionId, limit) {
      const traceKey = /^[0-9a-f]{32}$/i.test(sessionId) ? toUuid(sessionId.toLowerCase()) : null;
      const { rows } = await reading.readScoped<{ id: string }>([projectId], {
        name: "session_roots",
        // A REST span states its session; the spans of an OTel trace have the trace's, or its id.
        text: `
          select id
          from (
            select id, span_id, coalesce(started_at, created_at) as at
            from ingest.spans
            where project_id = $1 and session_id = $2 and is_root and flags & ${otlpFlag} = 0
            union all
            select id, span_id, coalesce(started_at, created_at)
            from ingest.spans
            where project_id = $1 and is_root and flags & ${otlpFlag} <> 0 and trace_key in (
              select trace_key from ingest.traces where project_id = $1 and session_id = $2
              union
              select $3::uuid where $3 is not null
            )
          ) roots
          order by at, coalesce(span_id, ''), id
          limit $4`,
        values: [projectId, sessionId, traceKey, limit],
      });
      return rows.map(({ id }) => id);
    },
  };
}
