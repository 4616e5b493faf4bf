import { limits } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import { toUuid } from "../model/ids.ts";
import { otlpFlag } from "../model/span-row.ts";
import { columns, type ScorePosition, type ScoreRecord, type StoredScore, toScore } from "./stored-score.ts";

export interface RunScoreQuery {
  name: string;
  /** Null: only scores of the traces. */
  runId: string | null;
  /** Canonical. */
  traceIds: readonly string[];
  /** Null = from the newest. */
  after: ScorePosition | null;
  limit: number;
}

export interface ScoreOfRun extends ScorePosition {
  /** Of a boolean 1 or 0. */
  value: number;
  runId: string | null;
  caseId: string | null;
  runNumber: number | null;
  /** The requested traces that it names. */
  traceIds: string[];
  /** Null: none. */
  spanId: string | null;
}

export interface HumanScore extends ScorePosition {
  /** The ids that its trace may have: as named, and the root of an OpenTelemetry trace. */
  traceIds: string[];
  value: StoredScore["value"];
  comment: string | null;
}

/** The scores of what they name. */
export interface TargetScores {
  /**
   * The newest scores that belong to a span: those that name it, and on a root those that name its trace and no span.
   */
  listOfSpan(projectId: string, spanRowId: string): Promise<StoredScore[]>;
  /** The newest scores that name a session. */
  listOfSession(projectId: string, sessionId: string): Promise<StoredScore[]>;
  /** The scores that people gave to whole traces since then, newest first. */
  listOfPeople(
    projectId: string,
    query: { since: Date; after: ScorePosition | null; limit: number },
  ): Promise<{ scores: HumanScore[]; hasNextPage: boolean }>;
  /** The numeric and boolean scores of one name that name a run or one of some traces, newest first. */
  listOfRun(projectId: string, query: RunScoreQuery): Promise<{ scores: ScoreOfRun[]; hasNextPage: boolean }>;
}

export function createTargetScores(database: Database): TargetScores {
  return {
    listOfSpan: (projectId, spanRowId) =>
      readShown(database, projectId, { name: "scores_of_span", text: ofSpanText, values: [projectId, spanRowId] }),

    listOfSession: (projectId, sessionId) =>
      readShown(database, projectId, {
        name: "scores_of_session",
        text: `
          select ${columns}
          from ingest.scores
          where project_id = $1 and session_id = $2
          order by scored_at desc, id desc
          limit ${limits.scoresShownMax}`,
        values: [projectId, sessionId],
      }),

    async listOfPeople(projectId, { since, after, limit }) {
      const { rows } = await database.readScoped<ScoreRecord & { trace_key: string; root_id: string | null }>(
        [projectId],
        {
          name: "scores_of_people",
          text: ofPeopleText,
          values: [projectId, since, after?.scoredAt ?? null, after?.id ?? null, limit + 1],
        },
      );
      const scores = rows.slice(0, limit).map((row) => {
        const { id, scoredAt, value, comment } = toScore(row);
        const named = isTraceKey.test(row.trace_key) ? [toUuid(row.trace_key)] : [];
        return { id, scoredAt, value, comment, traceIds: row.root_id === null ? named : [...named, row.root_id] };
      });
      return { scores, hasNextPage: rows.length > limit };
    },

    async listOfRun(projectId, { name, runId, traceIds, after, limit }) {
      const { rows } = await database.readScoped<RunScoreRecord>([projectId], {
        name: "scores_of_run",
        text: ofRunText,
        values: [projectId, name, runId, traceIds, after?.scoredAt ?? null, after?.id ?? null, limit + 1],
      });
      const scores = rows.slice(0, limit).map((row) => ({
        id: row.id,
        scoredAt: row.scored_at,
        value: row.number,
        runId: row.run_id,
        caseId: row.case_id,
        runNumber: row.run_number,
        spanId: row.span_id,
        traceIds: row.trace_ids ?? [],
      }));
      return { scores, hasNextPage: rows.length > limit };
    },
  };
}

async function readShown(database: Database, projectId: string, statement: Statement): Promise<StoredScore[]> {
  return (await database.readScoped<ScoreRecord>([projectId], statement)).rows.map(toScore);
}

/*
 * The indexes of scores fit alike before there are statistics (decision 40): a few ids are looked up one by one, and
 * many as an array, so that the scores of the project are read once at worst.
 */

/**
 * Ids of spans are unique in a trace. A score that names the trace too is of this span only if the trace is its own: by
 * its id in OpenTelemetry, or by the id of one of its rows.
 */
const ofSpanText = `
  with shown as materialized (
    select span_id, is_root, flags & ${otlpFlag} <> 0 as is_otlp, trace_key, replace(id::text, '-', '') as id_key,
      case when flags & ${otlpFlag} <> 0 then replace(trace_key::text, '-', '') end as otel_key
    from ingest.spans
    where project_id = $1 and id = $2
  )
  select ${columns}
  from (
    select own.*
    from shown
    cross join lateral unnest(case when is_root then array[id_key, otel_key] else array[id_key] end) as named (trace_key)
    cross join lateral (
      select *
      from ingest.scores
      where project_id = $1 and scores.trace_key = named.trace_key and scores.span_id is null
      order by scored_at desc, id desc
      limit ${limits.scoresShownMax}
    ) own
    union all
    select own.*
    from shown
    cross join lateral unnest(array[shown.span_id, $2::text]) as named (span_id)
    cross join lateral (
      select *
      from ingest.scores
      where project_id = $1 and scores.span_id = named.span_id and (
        scores.trace_key is null or scores.trace_key in (shown.id_key, shown.otel_key) or not shown.is_otlp
        or exists (
          select
          from ingest.spans
          where spans.project_id = $1 and spans.trace_key = shown.trace_key
            and spans.id = case when scores.trace_key ~ '^[0-9a-f]{32}$' then scores.trace_key::uuid end
        )
      )
      order by scored_at desc, id desc
      limit ${limits.scoresShownMax}
    ) own
  ) own
  order by scored_at desc, id desc
  limit ${limits.scoresShownMax}`;

const isTraceKey = /^[0-9a-f]{32}$/;

const ofPeopleText = `
  select said.*, (
    select id
    from ingest.spans
    where project_id = $1 and is_root and flags & ${otlpFlag} <> 0
      and trace_key = case when said.trace_key ~ '^[0-9a-f]{32}$' then said.trace_key::uuid end
    order by id
    limit 1
  ) as root_id
  from (
    select ${columns}, trace_key
    from ingest.scores
    where project_id = $1 and source = 'human' and trace_key is not null and span_id is null and scored_at >= $2
      and ($3::timestamptz is null or (scored_at, id) < ($3, $4::text))
    order by scored_at desc, id desc
    limit $5
  ) said
  order by scored_at desc, id desc`;

type RunScoreRecord = {
  id: string;
  scored_at: Date;
  number: number;
  run_id: string | null;
  case_id: string | null;
  run_number: number | null;
  span_id: string | null;
  trace_ids: string[] | null;
};

/** A trace of OpenTelemetry may be asked for by the id of one of its rows. */
const ofRunText = `
  with asked as materialized (
    select trace_id from unnest($4::text[]) as asked (trace_id)
  ),
  keys as materialized (
    select trace_id as trace_key, trace_id from asked
    union
    select replace(found.trace_key::text, '-', ''), trace_id
    from asked
    cross join lateral (
      select trace_key
      from ingest.spans
      where project_id = $1 and id = case when trace_id ~ '^[0-9a-f]{32}$' then trace_id::uuid end
        and flags & ${otlpFlag} <> 0
      limit 1
    ) found
  ),
  found as (
    select id, scored_at, number, run_id, case_id, run_number, span_id, trace_key
    from (
      select * from ingest.scores where project_id = $1 and run_id = $3 offset 0
    ) of_run
    where name = $2 and number is not null
    union
    select id, scored_at, number, run_id, case_id, run_number, span_id, trace_key
    from ingest.scores
    where project_id = $1 and name = $2 and number is not null and trace_key = any (array(select trace_key from keys))
  )
  select found.*, (
    select array_agg(keys.trace_id) from keys where keys.trace_key = found.trace_key
  ) as trace_ids
  from found
  where $5::timestamptz is null or (scored_at, id) < ($5, $6::text)
  order by scored_at desc, id desc
  limit $7`;
