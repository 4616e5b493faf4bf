import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Polarity, Severity } from "../model/finding.ts";
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
}

const occurrencesListed = 10;

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

    async countByDay(projectId, { id, patternKey, agentId, polarity }, since) {
      // A rule over many traces has no events: then the stored occurrences are counted.
      const { rows } = await database.readScoped<{ start: Date; count: number }>([projectId], {
        name: "signal_trend",
        text: `
          with found as (
            select created_at
            from monitor.events
            where project_id = $1
              and pattern_key = $2
              and polarity = $7
              and created_at >= $5
              and agent_id is not distinct from nullif($3::uuid, $4::uuid)
          ),
          seen as (
            select created_at from found
            union all
            select seen_at
            from monitor.signal_occurrences
            where project_id = $1
              and signal_id = $6
              and seen_at >= $5
              and not exists (select from found)
          )
          select date_trunc('day', created_at, 'UTC') as start, count(*)::integer as count
          from seen
          group by 1
          order by 1`,
        values: [projectId, patternKey, agentId ?? noAgent, noAgent, since, id, polarity],
      });
      return rows;
    },
  };
}
