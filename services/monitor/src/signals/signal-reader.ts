import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Polarity, Severity } from "../model/finding.ts";
import type { Period } from "../model/read-page.ts";
import { noAgent } from "./finding-store.ts";
import {
  occurrencesColumn,
  readSignalRow,
  type SignalRow,
  type SignalStatus,
  type StoredSignal,
  signalColumns,
} from "./signal-row-reader.ts";

/** Filters of signals; null always means all. */
export interface SignalFilter {
  severity: Severity | null;
  statuses: readonly SignalStatus[] | null;
  agentId: string | null;
  polarity: Polarity | null;
  /** Text that a signal contains, case-insensitive. */
  search: string | null;
}

/** The position of a signal in a list: its last time in microseconds since the epoch, and its id. */
export interface SignalPosition {
  micros: string;
  id: string;
}

export interface SignalPage {
  limit: number;
  /** Null: from the newest. */
  after: SignalPosition | null;
  withOccurrences: boolean;
}

/** One time that a signal was seen. */
export interface SignalEvent {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  seenAt: Date;
  rating: number | null;
  justification: string | null;
}

/** Reads the signals of a project. */
export interface SignalReader {
  /** Last seen first, each with its position; with its ten newest occurrences if requested. */
  list(
    projectId: string,
    filter: SignalFilter,
    page: SignalPage,
  ): Promise<{ signal: StoredSignal; position: SignalPosition }[]>;
  /** The number of signals per status, regardless of the filter's statuses. */
  countByStatus(projectId: string, filter: SignalFilter): Promise<ReadonlyMap<SignalStatus, number>>;
  /** With every stored occurrence. */
  find(projectId: string, id: string): Promise<StoredSignal | null>;
  /** The number of occurrences of a signal per day (UTC) from `since` on; empty days are left out. */
  countByDay(projectId: string, signal: StoredSignal, since: Date): Promise<{ start: Date; count: number }[]>;
  /** What {@link countByDay} counts, newest first; `total` counts that of all pages. */
  listSeen(
    projectId: string,
    signal: StoredSignal,
    page: Period & { limit: number; after: SignalPosition | null },
  ): Promise<{ total: number; events: { event: SignalEvent; position: SignalPosition }[] }>;
}

const occurrencesListed = 10;

/** How often a signal was seen from $5 on. A rule over many traces has no events: then the stored occurrences are taken. */
const seen = `
  found as (
    select id, trace_id, session_id, created_at as seen_at, rating, justification
    from monitor.events
    where project_id = $1
      and pattern_key = $2
      and polarity = $7
      and created_at >= $5
      and agent_id is not distinct from nullif($3::uuid, $4::uuid)
  ),
  seen as (
    select * from found
    union all
    select id, trace_id, session_id, seen_at, rating, justification
    from monitor.signal_occurrences
    where project_id = $1
      and signal_id = $6
      and seen_at >= $5
      and not exists (select from found)
  )`;

/** Its seven parameters. */
const seenValues = (projectId: string, { id, patternKey, agentId, polarity }: StoredSignal, since: Date): unknown[] => [
  projectId,
  patternKey,
  agentId ?? noAgent,
  noAgent,
  since,
  id,
  polarity,
];

/** The first five parameters are {@link filterValues}. */
const filtered = `
  project_id = $1
  and ($2::text is null or severity = $2)
  and ($3::uuid is null or agent_id = $3)
  and ($4::text is null or polarity = $4)
  and ($5::text is null or
       concat_ws(E'\\n', summary, root_cause, pattern_key, evidence ->> 'query', evidence ->> 'responsePreview') ilike $5)`;

const filterValues = (projectId: string, { severity, agentId, polarity, search }: SignalFilter): unknown[] => [
  projectId,
  severity,
  agentId,
  polarity,
  search === null ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
];

export function createSignalReader(database: Database): SignalReader {
  return {
    async list(projectId, filter, { limit, after, withOccurrences }) {
      const { rows } = await database.readScoped<SignalRow & { micros: string }>([projectId], {
        name: withOccurrences ? "signals_list" : "signals_list_summary",
        text: `
          select ${signalColumns},
                 ${withOccurrences ? occurrencesColumn(occurrencesListed) : "'[]'::json as occurrences"},
                 (extract(epoch from last_seen_at) * 1000000)::bigint::text as micros
          from monitor.signals
          where ${filtered}
            and ($6::text[] is null or status = any ($6))
            and ($7::bigint is null
                 or (last_seen_at, id) < (timestamptz 'epoch' + $7::bigint * interval '1 microsecond', $8::uuid))
          order by last_seen_at desc, id desc
          limit $9`,
        values: [
          ...filterValues(projectId, filter),
          filter.statuses && [...filter.statuses],
          after?.micros ?? null,
          after?.id ?? null,
          limit,
        ],
      });
      return rows.map((row) => ({ signal: readSignalRow(row), position: { micros: row.micros, id: row.id } }));
    },

    async countByStatus(projectId, filter) {
      const { rows } = await database.readScoped<{ status: SignalStatus; count: number }>([projectId], {
        name: "signals_count",
        text: `
          select status, count(*)::integer as count
          from monitor.signals
          where ${filtered}
          group by status`,
        values: filterValues(projectId, filter),
      });
      return new Map(rows.map(({ status, count }) => [status, count]));
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<SignalRow>([projectId], {
        name: "signal_find",
        text: `
          select ${signalColumns}, ${occurrencesColumn(limits.signalOccurrencesKept)}
          from monitor.signals
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rows.map(readSignalRow)[0] ?? null;
    },

    async countByDay(projectId, signal, since) {
      const { rows } = await database.readScoped<{ start: Date; count: number }>([projectId], {
        name: "signal_trend",
        text: `
          with ${seen}
          select date_trunc('day', seen_at, 'UTC') as start, count(*)::integer as count
          from seen
          group by 1
          order by 1`,
        values: seenValues(projectId, signal, since),
      });
      return rows;
    },

    async listSeen(projectId, signal, { from, to, limit, after }) {
      const { rows } = await database.readScoped<SeenRow>([projectId], {
        name: "signal_events",
        text: `
          with ${seen},
          matching as (
            select *
            from seen
            where seen_at < coalesce($8::timestamptz, 'infinity')
          )
          select page.*, counts.total, (extract(epoch from page.seen_at) * 1000000)::bigint::text as micros
          from (select count(*)::integer as total from matching) as counts
          left join lateral (
            select *
            from matching
            where $9::bigint is null
               or (seen_at, id) < (timestamptz 'epoch' + $9::bigint * interval '1 microsecond', $10::uuid)
            order by seen_at desc, id desc
            limit $11
          ) as page on true
          order by page.seen_at desc, page.id desc`,
        values: [
          ...seenValues(projectId, signal, from ?? new Date(0)),
          to,
          after?.micros ?? null,
          after?.id ?? null,
          limit,
        ],
      });
      return { total: rows[0]?.total ?? 0, events: rows.filter(({ id }) => id !== null).map(readSeen) };
    },
  };
}

type SeenRow = {
  id: string;
  trace_id: string | null;
  session_id: string | null;
  seen_at: Date;
  rating: number | null;
  justification: string | null;
  micros: string;
  total: number;
};

const readSeen = (row: SeenRow): { event: SignalEvent; position: SignalPosition } => ({
  event: {
    id: row.id,
    traceId: row.trace_id,
    sessionId: row.session_id,
    seenAt: row.seen_at,
    rating: row.rating,
    justification: row.justification,
  },
  position: { micros: row.micros, id: row.id },
});
