import { type Database, type Statement, sqlStateOf, type Transaction } from "@touchstone/db";
import { countedDays } from "../quota/request-count-store.ts";
import { firstIdOf } from "../trace-store/reading/root-conditions.ts";
import { otelKeyColumn } from "../trace-store/removing/dependent-removals.ts";
import { forgetGoneSpans, type GoneRow } from "../trace-store/removing/forget-gone-spans.ts";
import { settleTraces, traceKeysOf, tracesLock } from "../trace-store/removing/trace-settling.ts";

/** The retention settings of projects, at one instant of PostgreSQL's clock. */
export interface RetentionChoices {
  nowMs: number;
  /** Days by project; 0 = unlimited. */
  days: ReadonlyMap<string, number>;
}

/** Bulk operations of retention, besides removing single traces. Under the maintenance role. */
export interface OldSpansStore {
  readChoices(): Promise<RetentionChoices>;
  /** The first project after this one, in order of id, that has spans, log records or scores from before an instant. */
  nextProject(after: string, beforeMs: number): Promise<string | null>;
  /** Detaches the weeks that ended before an instant, each with its counts. Returns their number. */
  detachWeeks(beforeMs: number): Promise<number>;
  /** Removes dependent rows of the detached weeks' spans, then drops the weeks. False if it was stopped early. */
  clearDetached(mayGoOn: () => boolean): Promise<boolean>;
  /**
   * Removes log records received before an instant whose trace has no span: none came, or all were removed. A trace goes
   * with its last record.
   */
  removeFragments(projectId: string, beforeMs: number, mayGoOn: () => boolean): Promise<void>;
  /** Removes scores that were given before an instant. */
  removeScores(projectId: string, beforeMs: number, mayGoOn: () => boolean): Promise<void>;
  /** Removes usage and request counts beyond their retention, and empty pieces of search text. */
  tidy(): Promise<void>;
}

const batchRows = 2_000;
const usageDays = 40;
const noTable = "42P01";
const firstUuid = "00000000-0000-0000-0000-000000000000";

export function createOldSpansStore(maintenance: Database): OldSpansStore {
  return {
    async readChoices() {
      const { rows } = await maintenance.query<ChoiceRow>(selectChoices);
      const chosen = rows.flatMap(({ project_id, days }) =>
        project_id === null ? [] : [[project_id, days] satisfies [string, number]],
      );
      return { nowMs: rows[0]?.now_ms ?? 0, days: new Map(chosen) };
    },

    async nextProject(after, beforeMs) {
      const { rows } = await maintenance.query<{ project_id: string }>(selectNextProject(after, beforeMs));
      return rows[0]?.project_id ?? null;
    },

    async detachWeeks(beforeMs) {
      const { rows } = await maintenance.query<{ week: string }>(selectWeeks(beforeMs));
      let detached = 0;
      for (const { week } of rows) {
        if (await maintenance.transaction((transaction) => detachWeek(transaction, week))) detached += 1;
      }
      return detached;
    },

    async clearDetached(mayGoOn) {
      const { rows } = await maintenance.query<{ name: string }>({
        name: "spans_detached",
        text: "select name from ingest.list_detached_spans()",
      });
      for (const { name } of rows) {
        const isCleared = await clearWeek(maintenance, name, mayGoOn).catch((thrown) => {
          // Another holder of the lease, after a stall, was faster.
          if (sqlStateOf(thrown) !== noTable) throw thrown;
          return true;
        });
        if (!isCleared) return false;
      }
      return true;
    },

    async removeFragments(projectId, beforeMs, mayGoOn) {
      let isDone = false;
      while (!isDone && mayGoOn()) {
        const { rows } = await maintenance.query<OldFragment>(selectOldFragments(projectId, beforeMs));
        if (rows.length > 0) {
          await maintenance.transaction((transaction) => forgetFragments(transaction, projectId, rows));
        }
        isDone = rows.length < batchRows;
      }
    },

    async removeScores(projectId, beforeMs, mayGoOn) {
      let isDone = false;
      while (!isDone && mayGoOn()) {
        const { rowCount } = await maintenance.query(buildScoreRemoval(projectId, beforeMs));
        isDone = rowCount !== batchRows;
      }
    },

    async tidy() {
      await maintenance.query({
        name: "trace_usage_trim",
        text: "delete from ingest.trace_usage where day < (now() at time zone 'UTC')::date - $1::integer",
        values: [usageDays],
      });
      await maintenance.query({
        name: "request_counts_trim",
        text: "delete from ingest.request_counts where hour < now() - $1 * interval '1 day'",
        values: [countedDays],
      });
      await maintenance.query({ name: "search_pieces_drop_empty", text: "select ingest.drop_empty_search_pieces()" });
    },
  };
}

interface ChoiceRow {
  now_ms: number;
  project_id: string | null;
  days: number;
}

/** At least one row: the time. */
const selectChoices: Statement = {
  name: "retention_choices",
  text: `
    select (extract(epoch from now()) * 1000)::float8 as now_ms, project_id, days
    from (select) once
    left join ingest.retention on true`,
};

const selectNextProject = (after: string, beforeMs: number): Statement => ({
  name: "project_with_old_data",
  text: `
    select project_id
    from (
      (select project_id from ingest.spans where project_id > $1 and id < $2 order by project_id limit 1)
      union all
      (
        select project_id
        from ingest.scores
        where project_id > $1 and scored_at < to_timestamp($3::float8 / 1000)
        order by project_id
        limit 1
      )
      union all
      (
        select project_id
        from ingest.log_fragments
        where project_id > $1 and received_at < to_timestamp($3::float8 / 1000)
        order by project_id
        limit 1
      )
    ) old
    order by project_id
    limit 1`,
  values: [after, firstIdOf(beforeMs), beforeMs],
});

const selectWeeks = (beforeMs: number): Statement => ({
  name: "spans_weeks_before",
  text: "select to_char(week_start, 'YYYY-MM-DD') as week from ingest.list_span_weeks($1::date)",
  values: [new Date(beforeMs).toISOString().slice(0, 10)],
});

/** False if the week was detached in the meantime. */
async function detachWeek(transaction: Transaction, week: string): Promise<boolean> {
  const { rows } = await transaction.query<{ name: string | null }>({
    // Fails as store_unavailable during a long read or write; nothing waits behind it for more than 0.5 s.
    name: "spans_week_detach",
    text: "select ingest.detach_spans_partition($1::date) as name",
    values: [week],
  });
  if (rows[0]?.name == null) return false;
  await transaction.query({
    // The counts of these days cannot change concurrently: storing or removing a span locks its table.
    name: "spans_week_uncount",
    text: "delete from ingest.root_counts where day >= $1::date and day < $1::date + 7",
    values: [week],
  });
  return true;
}

/** Removes dependent rows of a detached week's spans, then drops the week. False if it was stopped early. */
async function clearWeek(maintenance: Database, name: string, mayGoOn: () => boolean): Promise<boolean> {
  if (!/^gone_spans_\d{4}w\d{2}_\d+$/.test(name)) throw new Error(`${name} is no detached week of spans`);
  let [project, id] = [firstUuid, firstUuid];
  for (;;) {
    if (!mayGoOn()) return false;
    const { rows } = await maintenance.query<GoneRow>(selectGoneRows(name, project, id));
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const [projectId, own] of Map.groupBy(rows, (row) => row.project_id)) {
      await maintenance.transaction((transaction) => forgetGoneSpans(transaction, projectId, own));
    }
    [project, id] = [last.project_id, last.id];
  }
  await maintenance.query({
    name: "spans_week_drop",
    text: "select ingest.drop_detached_spans($1)",
    values: [name],
  });
  return true;
}

const selectGoneRows = (week: string, afterProject: string, afterId: string): Statement => ({
  name: `${week}_rows`,
  text: `
    select project_id, id, dk, trace_key, span_id, response_id, ${otelKeyColumn}
    from ingest.${week}
    where (project_id, id) > ($1, $2)
    order by project_id, id
    limit $3`,
  values: [afterProject, afterId, batchRows],
});

interface OldFragment {
  dk: string;
  trace_key: string | null;
}

/** Looked up record by record: without statistics, a join would read all spans of the project. */
const hasNoSpan = `(
        select true from ingest.spans
        where spans.project_id = $1 and spans.trace_key = fragments.trace_key
        limit 1
      ) is null`;

const selectOldFragments = (projectId: string, beforeMs: number): Statement => ({
  name: "log_fragments_old",
  text: `
    select dk, trace_key
    from ingest.log_fragments fragments
    where project_id = $1 and received_at < to_timestamp($2::float8 / 1000) and ${hasNoSpan}
    limit $3`,
  values: [projectId, beforeMs, batchRows],
});

/** Removes log records whose trace has no span, and the traces that have no other record. */
async function forgetFragments(
  transaction: Transaction,
  projectId: string,
  fragments: readonly OldFragment[],
): Promise<void> {
  const traceKeys = traceKeysOf(fragments);
  const [, , { rows }] = await transaction.pipeline<[object, object, { trace_key: string }]>([
    tracesLock(projectId, traceKeys),
    buildFragmentRemoval(projectId, fragments),
    selectWithoutFragments(projectId, traceKeys),
  ]);
  await settleTraces(
    transaction,
    projectId,
    rows.map(({ trace_key }) => trace_key),
  );
}

/** A span may have arrived since the records were read: it keeps them. */
const buildFragmentRemoval = (projectId: string, fragments: readonly OldFragment[]): Statement => ({
  name: "log_fragments_remove_old",
  text: `
    delete from ingest.log_fragments fragments
    where project_id = $1 and dk = any($2::uuid[]) and ${hasNoSpan}`,
  values: [projectId, fragments.map(({ dk }) => dk)],
});

const selectWithoutFragments = (projectId: string, traceKeys: readonly string[]): Statement => ({
  name: "traces_without_fragments",
  text: `
    select trace_key
    from unnest($2::uuid[]) as touched (trace_key)
    where not exists (
      select from ingest.log_fragments
      where log_fragments.project_id = $1 and log_fragments.trace_key = touched.trace_key
    )`,
  values: [projectId, traceKeys],
});

const buildScoreRemoval = (projectId: string, beforeMs: number): Statement => ({
  name: "scores_remove_old",
  text: `
    delete from ingest.scores
    where project_id = $1 and ctid = any(array(
      select ctid
      from ingest.scores
      where project_id = $1 and scored_at < to_timestamp($2::float8 / 1000)
      limit $3
    ))`,
  values: [projectId, beforeMs, batchRows],
});
