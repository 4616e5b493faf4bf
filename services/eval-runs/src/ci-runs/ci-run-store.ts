import type { Gate } from "@touchstone/contracts";
import { type Database, type Statement, selectPart } from "@touchstone/db";
import type { ListPage, PartBounds, SizedRow } from "@touchstone/service-kit";
import { announceGate } from "../gates/announce-gate.ts";
import { matchesVerdict, verdictValues } from "../gates/gate-store.ts";
import { readList } from "../queries/list-query.ts";
import { buildRunInsert, type NewRun, refuseGoneDataset } from "../runs/new-run-store.ts";
import type { TerminalStatus } from "../runs/run-store.ts";
import type { VerdictFilter, VerdictQuery } from "../runs/verdict-query.ts";
import type { CiSettings } from "./ci-settings.ts";
import type { Verdict } from "./decide-ci-run.ts";

export interface FrozenCiSettings extends CiSettings {
  totalQuestions: number;
}

/** A CI run with the evaluation run of the same id. Times are PostgreSQL's. */
export interface StoredCiRun {
  id: string;
  datasetId: string;
  settings: FrozenCiSettings;
  /** JSON text as it was sent, or null. */
  gitContext: string | null;
  createdAt: Date;
  expiresAt: Date;
  isExpired: boolean;
  /** The terminal status of its evaluation run, final or pending; null = it is open. */
  closingAs: TerminalStatus | null;
  /** Null until it is finalized. */
  verdict: Verdict | null;
  finalizedAt: Date | null;
  resultsSubmitted: number;
}

export type NewCiRun = Pick<StoredCiRun, "settings" | "gitContext"> & { agentName: string | null; run: NewRun };

/** A verdict to store, and for a failing one its row in the gate history. */
export interface NewVerdict {
  verdict: Verdict;
  /** Null = it passed. */
  failure: { id: string; gate: Gate } | null;
}

export interface CiRunStore {
  /** Stores the CI run and its evaluation run in one transaction; returns the expiry time. */
  insert(projectId: string, ciRun: NewCiRun): Promise<Date>;
  find(projectId: string, id: string): Promise<StoredCiRun | null>;
  /** Newest first. */
  list(projectId: string, query: VerdictQuery): Promise<ListPage<StoredCiRun>>;
  /** The number of matches on all pages. */
  count(projectId: string, filter: VerdictFilter): Promise<number>;
  /** True if an evaluation run belongs to a CI run. */
  exists(projectId: string, id: string): Promise<boolean>;
  /**
   * Stores the verdict unless there is one: the first caller decides. A failing one is announced in the same commit.
   */
  decide(projectId: string, id: string, decided: NewVerdict): Promise<void>;
}

/** completions 8.2. */
const lifetime = "2 hours";

export function createCiRunStore(database: Database): CiRunStore {
  async function select<Row extends Record<string, unknown>>(projectId: string, statement: Statement): Promise<Row[]> {
    return (await database.readScoped<Row>([projectId], statement)).rows;
  }

  return {
    insert: (projectId, { run, agentName, settings, gitContext }) =>
      refuseGoneDataset(() =>
        database.scoped([projectId], async (transaction) => {
          await transaction.query(buildRunInsert(projectId, run));
          const { rows } = await transaction.query<{ expires_at: Date }>({
            name: "ci_run_insert",
            text: `
              insert into evals.ci_runs (project_id, run_id, agent_name, settings, git_context, expires_at, created_at)
              values ($1, $2, $3, $4, $5, now() + interval '${lifetime}', now())
              returning expires_at`,
            values: [projectId, run.id, agentName, JSON.stringify(settings), gitContext],
          });
          return (rows[0] as { expires_at: Date }).expires_at;
        }),
      ),

    async find(projectId, id) {
      const [row] = await select<CiRunRow>(projectId, {
        name: "ci_run_find",
        text: `
          select ${ciRunColumns}
          from ${ciRunTables}
          where ci_runs.project_id = $1
            and ci_runs.run_id = $2`,
        values: [projectId, id],
      });
      return row === undefined ? null : readRow(row);
    },

    async list(projectId, { filter, ...query }) {
      const page = await readList<CiRunRow & SizedRow, string>(database, projectId, query, {
        cursorOf: (row) => row.run_id,
        statement: (cursor, bounds) => selectCiRuns(projectId, filter, cursor, bounds),
      });
      return { ...page, rows: page.rows.map(readRow) };
    },

    async count(projectId, filter) {
      const [row] = await select<{ count: number }>(projectId, {
        name: "ci_run_count",
        text: `
          select count(*)::integer as count
          from evals.ci_runs
          join evals.runs
            on runs.project_id = ci_runs.project_id
            and runs.id = ci_runs.run_id
          where ci_runs.project_id = $1
            and ${matchesVerdict}`,
        values: verdictValues(projectId, filter),
      });
      return row?.count ?? 0;
    },

    async exists(projectId, id) {
      const rows = await select(projectId, {
        name: "ci_run_exists",
        text: `
          select run_id
          from evals.ci_runs
          where project_id = $1
            and run_id = $2`,
        values: [projectId, id],
      });
      return rows.length > 0;
    },

    async decide(projectId, id, decided) {
      await database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<{ created_at: Date }>(buildDecide(projectId, id, decided));
        const { failure } = decided;
        const recordedAt = rows[0]?.created_at;
        if (failure !== null && recordedAt !== undefined) {
          await announceGate(transaction, projectId, { ...failure, recordedAt });
        }
      });
    },
  };
}

/** Newest first: an id begins with its creation time in milliseconds. */
const selectCiRuns = (
  projectId: string,
  filter: VerdictFilter,
  cursor: string | null,
  { rowsMax, bytesMax }: PartBounds,
): Statement => ({
  name: "ci_run_list",
  text: selectPart({
    rows: `
      select ${ciRunColumns}
      from ${ciRunTables}
      where ci_runs.project_id = $1
        and ${matchesVerdict}
        and ($5::uuid is null or ci_runs.run_id < $5)
      order by ci_runs.run_id desc
      limit $6`,
    large: ["verdict", "git_context", "settings"],
    order: "run_id desc",
    columns: "*",
    bytesMax: "$7",
  }),
  values: [...verdictValues(projectId, filter), cursor, rowsMax, bytesMax],
});

/** Returns a row if this call decided, and the verdict failed. */
const buildDecide = (projectId: string, id: string, { verdict, failure }: NewVerdict): Statement => ({
  name: "ci_run_decide",
  text: `
    with decided as (
      update evals.ci_runs
      set verdict = $3,
          finalized_at = now()
      where project_id = $1
        and run_id = $2
        and verdict is null
      returning run_id
    )
    insert into evals.gate_results (
      project_id, id, run_id, dataset_id, scoring_revision, passed, caller, document, created_at
    )
    select $1, $4::uuid, runs.id, runs.dataset_id, runs.scoring_revision, false, 'ci-run', $5::json, now()
    from decided
    join evals.runs
      on runs.project_id = $1
      and runs.id = decided.run_id
    where $4::uuid is not null
    returning created_at`,
  values: [projectId, id, JSON.stringify(verdict), failure?.id ?? null, failure && JSON.stringify(failure.gate)],
});

const ciRunTables = `
  evals.ci_runs
  join evals.runs
    on runs.project_id = ci_runs.project_id
    and runs.id = ci_runs.run_id
  cross join lateral (
    select count(*)::integer as count
    from evals.results
    where results.project_id = ci_runs.project_id
      and results.run_id = ci_runs.run_id
  ) as submitted`;

const ciRunColumns = `
  ci_runs.run_id, runs.dataset_id, ci_runs.settings, ci_runs.git_context::text, ci_runs.created_at, ci_runs.expires_at,
  ci_runs.expires_at <= clock_timestamp() as is_expired, runs.closing_as, ci_runs.verdict, ci_runs.finalized_at,
  submitted.count as results_submitted`;

type CiRunRow = {
  run_id: string;
  dataset_id: string;
  settings: FrozenCiSettings;
  git_context: string | null;
  created_at: Date;
  expires_at: Date;
  is_expired: boolean;
  closing_as: TerminalStatus | null;
  verdict: Verdict | null;
  finalized_at: Date | null;
  results_submitted: number;
};

const readRow = (row: CiRunRow): StoredCiRun => ({
  id: row.run_id,
  datasetId: row.dataset_id,
  settings: row.settings,
  gitContext: row.git_context,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  isExpired: row.is_expired,
  closingAs: row.closing_as,
  verdict: row.verdict,
  finalizedAt: row.finalized_at,
  resultsSubmitted: row.results_submitted,
});

/**
 * The state of a CI run (completions 8.4): `open` accepts results; `finalizing` and `decided` do not; `expired` was not
 * finalized in time, even if that has not been stored yet.
 */
type CiRunState = "open" | "finalizing" | "decided" | "expired";

export function stateOf({
  closingAs,
  isExpired,
  verdict,
}: Pick<StoredCiRun, "closingAs" | "isExpired" | "verdict">): CiRunState {
  if (closingAs === "failed" || (closingAs === null && isExpired)) return "expired";
  if (closingAs === null) return "open";
  return verdict === null ? "finalizing" : "decided";
}

/** A hundred CI runs of any projects that were not finalized in time, the longest expired first. */
export async function listExpiredCiRuns(maintenance: Database): Promise<{ projectId: string; runId: string }[]> {
  const { rows } = await maintenance.query<{ project_id: string; run_id: string }>({
    name: "ci_runs_expired",
    text: `
      select project_id, run_id
      from evals.ci_runs
      where finalized_at is null
        and expires_at <= now()
      order by expires_at
      limit 100`,
    values: [],
  });
  return rows.map((row) => ({ projectId: row.project_id, runId: row.run_id }));
}
