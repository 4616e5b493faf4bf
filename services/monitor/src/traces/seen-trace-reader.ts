import type { Database, Queryable } from "@touchstone/db";
import { plannableDays, rememberedDays } from "./settled-trace-store.ts";

/** Reads the newest traces of a project. */
export interface NewestTraces {
  /**
   * At most `limit` ids, newest first, of the named agents if any. Leaves out traces from offline evaluations and those
   * submitted as unwatched, like live checks.
   */
  list(
    projectId: string,
    of: { since: Date | null; agentIds: readonly string[] | null; limit: number },
  ): Promise<string[]>;
}

export function createNewestTraces(database: Database): NewestTraces {
  return {
    async list(projectId, { since, agentIds, limit }) {
      const { rows } = await database.readScoped<{ trace_id: string }>([projectId], {
        // Ids are UUIDv7: the table's primary key is in the order of time.
        name: "seen_traces_newest",
        text: `
          select trace_id
          from monitor.seen_traces
          where project_id = $1
            and ($2::uuid is null or trace_id >= $2)
            and ($3::uuid[] is null or agent_id = any ($3))
            and case when traffic_source = 'eval-run' then monitor is true else monitor is not false end
          order by trace_id desc
          limit $4`,
        values: [projectId, since && lowestIdAt(since), agentIds && [...agentIds], limit],
      });
      return rows.map((row) => row.trace_id);
    },
  };
}

/** No UUIDv7 of this time or a later one is smaller. */
function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Traces read at once, of any projects. */
export const seenAtOnce = 2_000;

/** A trace as it is read in order of arrival. */
export interface SeenTrace {
  project_id: string;
  trace_id: string;
  agent_id: string | null;
  session_id: string | null;
  created_at: Date;
  monitor: boolean | null;
  traffic_source: string | null;
  otel_trace_id: string | null;
  otel_span_id: string | null;
  response_id: string | null;
  is_settled: boolean;
  /** As text, to keep microseconds. */
  seen_at: string;
}

/** At most {@link seenAtOnce} traces in order of arrival, over all projects: that is what the index supports. */
export async function readSeen(maintenance: Database, from: { seenAt: string; traceId: string }): Promise<SeenTrace[]> {
  const { rows } = await maintenance.query<SeenTrace>({
    name: "seen_traces_since",
    text: `
      select project_id, trace_id, agent_id, session_id, created_at, monitor, traffic_source, otel_trace_id,
             otel_span_id, response_id, seen_at::text,
             settled_at > now() - $4 * interval '1 day'
               and (monitor is true or created_at > now() - $5 * interval '1 day') is true as is_settled
      from monitor.seen_traces
      where seen_at >= $1::timestamptz
        and (seen_at, trace_id) > ($1::timestamptz, $2::uuid)
      order by seen_at, trace_id
      limit $3`,
    values: [from.seenAt, from.traceId, seenAtOnce, plannableDays, rememberedDays],
  });
  return rows;
}

/** What is known of a trace that an evaluation names. */
interface KnownTrace {
  trace_id: string;
  agent_id: string | null;
  otel_trace_id: string | null;
  otel_span_id: string | null;
  response_id: string | null;
}

/** The known ones of the named traces, by id. */
export async function readNamedTraces(
  transaction: Queryable,
  projectId: string,
  traceIds: readonly string[],
): Promise<Map<string, KnownTrace>> {
  const { rows } = await transaction.query<KnownTrace>({
    name: "seen_traces_named",
    text: `
      select trace_id, agent_id, otel_trace_id, otel_span_id, response_id
      from monitor.seen_traces
      where project_id = $1
        and trace_id = any ($2::uuid[])`,
    values: [projectId, traceIds],
  });
  return new Map(rows.map((row) => [row.trace_id, row]));
}

/** The agent of a trace; null: it has none, or the trace is not known yet. */
export async function findAgentOfTrace(
  transaction: Queryable,
  projectId: string,
  traceId: string,
): Promise<string | null> {
  const { rows } = await transaction.query<{ agent_id: string | null }>({
    name: "seen_trace_agent",
    text: `
      select agent_id
      from monitor.seen_traces
      where project_id = $1
        and trace_id = $2`,
    values: [projectId, traceId],
  });
  return rows[0]?.agent_id ?? null;
}
