import type { Queryable, Statement } from "@touchstone/db";
import { otlpFlag } from "../../model/span-row.ts";
import type { DueRow, Waiting } from "./due-rows.ts";

/** A due trace, as of the moment it was read. */
export interface DueTrace {
  projectId: string;
  traceKey: string;
  /** PostgreSQL's text of the time, to detect growth since then. */
  settlesAt: string;
  /** Its roots. */
  rootIds: string[];
  /** The response ids of roots that are model calls, by root id; other roots are missing. */
  responseIds: Readonly<Record<string, string>>;
  /** Spans of an experiment are below its roots. */
  nestsExperiment: boolean;
}

/** An announcement about a trace that settles. */
export interface Announcement {
  trace: DueTrace;
  subject: string;
  /** The member of the event's body that lists these items. */
  member: string;
  /** JSON of one item. */
  item: string;
}

interface DueRecord {
  project_id: string;
  trace_key: string;
  settles_at: string;
  root_ids: string[];
  response_ids: Record<string, string> | null;
  nests_experiment: boolean | null;
}

/** Due traces whose derived values are not stale. */
export const settlingTraces: Waiting = {
  table: "traces",
  key: "trace_key",
  due: "settles_at",
  condition: "not is_stale",
};

/** The due traces of these rows, in no order. */
export async function readDueTraces(database: Queryable, due: readonly DueRow[]): Promise<DueTrace[]> {
  if (due.length === 0) return [];
  const { rows } = await database.query<DueRecord>({
    name: "traces_to_settle",
    text: `
      select due.*, of_trace.*
      from unnest($1::uuid[], $2::uuid[], $3::text[]) as due (project_id, trace_key, settles_at)
      cross join lateral (
        select coalesce(array_agg(id order by id) filter (where is_root), '{}') as root_ids,
               json_object_agg(id, response_id) filter (where is_root and response_id is not null) as response_ids,
               bool_or(not is_root and source = 'eval-run') as nests_experiment
        from ingest.spans
        where spans.project_id = due.project_id and spans.trace_key = due.trace_key
          and flags & ${otlpFlag} <> 0
      ) of_trace`,
    values: [due.map(({ projectId }) => projectId), due.map(({ key }) => key), due.map(({ due: at }) => at)],
  });
  return rows.map((row) => ({
    projectId: row.project_id,
    traceKey: row.trace_key,
    settlesAt: row.settles_at,
    rootIds: row.root_ids,
    responseIds: row.response_ids ?? {},
    nestsExperiment: row.nests_experiment ?? false,
  }));
}

/**
 * Puts announcements of traces into the outbox and, if `areDone`, marks these traces as settled: only those that have
 * not grown since they were read and have no concurrent writer. The others settle later. Returns the number of traces.
 */
export function buildSettling(
  traces: readonly DueTrace[],
  announcements: readonly Announcement[],
  areDone: boolean,
): Statement {
  const text = `
    with quiet as materialized (
      select traces.project_id, traces.trace_key
      from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as due (project_id, trace_key, settles_at)
      join ingest.traces on traces.project_id = due.project_id and traces.trace_key = due.trace_key
      where traces.settles_at = due.settles_at and not traces.is_stale
      for update of traces skip locked
    ),
    done as (
      update ingest.traces
      set settles_at = null
      from quiet
      where $8 and traces.project_id = quiet.project_id and traces.trace_key = quiet.trace_key
    ),
    announced as (
      insert into ingest.outbox (subject, body)
      select subject, '{"' || member || '":[' || string_agg(item, ',') || ']}'
      from unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $9::text[])
        as items (project_id, trace_key, subject, member, item)
      join quiet using (project_id, trace_key)
      group by subject, member
    )
    select count(*)::integer as settled from quiet`;
  return {
    name: "traces_settle",
    text,
    values: [
      traces.map(({ projectId }) => projectId),
      traces.map(({ traceKey }) => traceKey),
      traces.map(({ settlesAt }) => settlesAt),
      announcements.map(({ trace }) => trace.projectId),
      announcements.map(({ trace }) => trace.traceKey),
      announcements.map(({ subject }) => subject),
      announcements.map(({ member }) => member),
      areDone,
      announcements.map(({ item }) => item),
    ],
  };
}

/** The problem with this trace may be temporary, and the others must not wait for it. */
export function buildPutOff({ projectId, traceKey, settlesAt }: DueTrace): Statement {
  return {
    name: "trace_settle_later",
    text: `
      update ingest.traces
      set settles_at = now() + interval '1 minute'
      where project_id = $1 and trace_key = $2 and settles_at = $3::timestamptz`,
    values: [projectId, traceKey, settlesAt],
  };
}
