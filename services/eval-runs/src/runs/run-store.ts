import { isUuid, type VerdictMode } from "@touchstone/contracts";
import { type Database, type ListQuery, type Queryable, type Statement, selectPart } from "@touchstone/db";
import { type Act, AppError, type ListPage, type PartBounds, type SizedRow } from "@touchstone/service-kit";
import { dropLeftVersion } from "../datasets/dataset-change-store.ts";
import { recordAuditEvent } from "../outbox.ts";
import { readList } from "../queries/list-query.ts";
import { buildRunInsert, type NewRun, refuseGoneDataset } from "./new-run-store.ts";
import { filterValues, matchesFilter, type RunFilter } from "./run-filter-reader.ts";
import type { RunPosition } from "./run-position.ts";

export type RunStatus = "in_progress" | "completed" | "failed";
export type TerminalStatus = Exclude<RunStatus, "in_progress">;

/** A run without its results. */
export interface StoredRun extends Omit<NewRun, "sdk" | "plan"> {
  /** How often its plan was replaced; 0 for all but external runs. */
  planRevision: number;
  /** The number of rescorings after it ended. */
  scoringRevision: number;
  /** Skipped results are being replaced at the moment. */
  isRescoring: boolean;
  status: RunStatus;
  /** Set once finalizing has begun: no new batch is accepted. */
  closingAs: TerminalStatus | null;
}

export interface RunListQuery extends ListQuery<RunPosition> {
  filter: RunFilter;
}

export interface RunStore {
  insert(projectId: string, run: NewRun): Promise<void>;
  find(projectId: string, id: string): Promise<StoredRun | null>;
  /** A page of the project's runs, newest first. Values from the plan count towards its size. */
  list(projectId: string, query: RunListQuery): Promise<ListPage<StoredRun>>;
  /** The number of matching runs on all pages. */
  count(projectId: string, filter: RunFilter): Promise<number>;
  /** Deletes a run with all its data, and records it in the audit log; false when there is no such run. */
  remove(projectId: string, id: string, act: Act): Promise<boolean>;
  /** The run's frozen grading, which a run from before plans existed does not have; null when there is no such run. */
  readPlan(projectId: string, id: string): Promise<{ plan: string | null } | null>;
  /** Closes a run to new batches; the first caller sets its terminal status. Null when there is no such run. */
  beginClosing(projectId: string, id: string, status: TerminalStatus): Promise<StoredRun | null>;
  /** The number of results being judged under a live lease. */
  countLiveClaims(projectId: string, id: string): Promise<number>;
}

export function createRunStore(database: Database): RunStore {
  async function readOne<Row extends Record<string, unknown>>(
    projectId: string,
    statement: Statement,
  ): Promise<Row | null> {
    return (await database.readScoped<Row>([projectId], statement)).rows[0] ?? null;
  }

  async function writeOne<Row extends Record<string, unknown>>(
    projectId: string,
    statement: Statement,
  ): Promise<Row | null> {
    return database.scoped([projectId], async (transaction) => {
      const { rows } = await transaction.query<Row>(statement);
      return rows[0] ?? null;
    });
  }

  return {
    async insert(projectId, run) {
      await refuseGoneDataset(() => writeOne(projectId, buildRunInsert(projectId, run)));
    },

    async find(projectId, id) {
      const row = await readOne<RunRow>(projectId, {
        name: "run_find",
        text: `
          select ${runColumns}
          from evals.runs
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return row && readRow(row);
    },

    async list(projectId, { filter, ...query }) {
      const page = await readList<RunRow & SizedRow, RunPosition>(database, projectId, query, {
        cursorOf: ({ id, created_at: createdAt }) => ({ id, createdAt }),
        statement: (last, bounds) => selectRuns(projectId, filter, last, bounds),
      });
      return { ...page, rows: page.rows.map(readRow) };
    },

    async count(projectId, filter) {
      const row = await readOne<{ count: number }>(projectId, {
        name: "run_count",
        text: `
          select count(*)::integer as count
          from evals.runs
          where ${matchesFilter}`,
        values: filterValues(projectId, filter),
      });
      return row?.count ?? 0;
    },

    remove: (projectId, id, act) =>
      database.scoped([projectId], (transaction) => removeRun(transaction, projectId, id, act)),

    readPlan: (projectId, id) =>
      readOne<{ plan: string | null }>(projectId, {
        name: "run_read_plan",
        text: `
          select plan::text
          from evals.runs
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      }),

    async beginClosing(projectId, id, status) {
      // A terminal run is returned unchanged: finalizing is idempotent, and failed stays failed.
      const row = await writeOne<RunRow>(projectId, {
        name: "run_begin_closing",
        text: `
          update evals.runs
          set closing_as = case when status = 'in_progress' then coalesce(closing_as, $3) else closing_as end,
              closing_since = case when status = 'in_progress' then coalesce(closing_since, now()) else closing_since end
          where project_id = $1
            and id = $2
          returning ${runColumns}`,
        values: [projectId, id, status],
      });
      return row && readRow(row);
    },

    async countLiveClaims(projectId, id) {
      const row = await readOne<{ count: number }>(projectId, {
        name: "run_count_live_claims",
        text: `
          select count(*)::integer as count
          from evals.claims
          where project_id = $1
            and run_id = $2
            and lease_until >= clock_timestamp()`,
        values: [projectId, id],
      });
      return row?.count ?? 0;
    },
  };
}

const selectRuns = (
  projectId: string,
  filter: RunFilter,
  last: RunPosition | null,
  { rowsMax, bytesMax }: PartBounds,
): Statement => ({
  name: "run_list",
  text: selectPart({
    rows: `
      select *
      from evals.runs
      where ${matchesFilter}
        and ($11::uuid is null or (created_at, id) < (
          coalesce((select created_at from evals.runs as last where last.project_id = $1 and last.id = $11), $12),
          $11
        ))
      order by created_at desc, id desc
      limit $13`,
    large: ["evaluation_subject", "smoke_test_variants", "plan"],
    order: "created_at desc, id desc",
    columns: runColumns,
    bytesMax: "$14",
  }),
  values: [...filterValues(projectId, filter), last?.id, last?.createdAt, rowsMax, bytesMax],
});

async function removeRun(transaction: Queryable, projectId: string, id: string, act: Act): Promise<boolean> {
  // The lock first: it waits for a batch that is taking claims; later batches do not find the run.
  const { rows } = await transaction.query<{ dataset_id: string; dataset_version: number | null }>({
    name: "run_remove_lock",
    text: `
      select dataset_id, dataset_version
      from evals.runs
      where project_id = $1
        and id = $2
      for update`,
    values: [projectId, id],
  });
  const [run] = rows;
  if (run === undefined) return false;
  await transaction.query({
    name: "run_remove",
    text: `
      with marked as (
        insert into evals.deleted_external_runs (project_id, run_id, dataset_id)
        select project_id, run_id, dataset_id from evals.named_runs where project_id = $1 and run_id = $2
      ), gone_claims as (
        delete from evals.claims where project_id = $1 and run_id = $2
      ), gone_results as (
        delete from evals.results where project_id = $1 and run_id = $2
      )
      delete from evals.runs
      where project_id = $1
        and id = $2`,
    values: [projectId, id],
  });
  if (run.dataset_version !== null) {
    await dropLeftVersion(transaction, projectId, run.dataset_id, run.dataset_version);
  }
  await recordAuditEvent(transaction, act, { action: "run.deleted", targetId: id });
  return true;
}

const runColumns = `
  id, dataset_id, dataset_version, evaluation_settings_id, scorer_group_id, additional_scorer_ids, verdict_mode,
  evaluation_subject::text, smoke_test_variants::text, run_source, plan_revision, scoring_revision,
  coalesce(rescoring_until >= clock_timestamp(), false) as is_rescoring, status, closing_as, created_at`;

type RunRow = {
  id: string;
  dataset_id: string;
  dataset_version: number | null;
  evaluation_settings_id: string | null;
  scorer_group_id: string | null;
  additional_scorer_ids: string[] | null;
  verdict_mode: VerdictMode;
  evaluation_subject: string | null;
  smoke_test_variants: string | null;
  run_source: string;
  plan_revision: number;
  scoring_revision: number;
  is_rescoring: boolean;
  status: RunStatus;
  closing_as: TerminalStatus | null;
  created_at: Date;
};

const readRow = (row: RunRow): StoredRun => ({
  id: row.id,
  datasetId: row.dataset_id,
  datasetVersion: row.dataset_version,
  evaluationSettingsId: row.evaluation_settings_id,
  scorerGroupId: row.scorer_group_id,
  additionalScorerIds: row.additional_scorer_ids,
  verdictMode: row.verdict_mode,
  evaluationSubject: row.evaluation_subject,
  smokeTestVariants: row.smoke_test_variants,
  runSource: row.run_source,
  planRevision: row.plan_revision,
  scoringRevision: row.scoring_revision,
  isRescoring: row.is_rescoring,
  status: row.status,
  closingAs: row.closing_as,
  createdAt: row.created_at,
});

/**
 * The scoring revision of what is computed from a run's results now. While they are being replaced they are of two revisions: the
 * computed counts as being of the earlier one, so that it is stale when the later one is complete.
 */
export const revisionOfResults = ({ scoringRevision, isRescoring }: StoredRun): number =>
  isRescoring ? Math.max(0, scoringRevision - 1) : scoringRevision;

/** The run in the path; a malformed id is answered like an unknown one. */
export async function requireRun(
  runs: Pick<RunStore, "find">,
  projectId: string,
  runId: string | undefined,
): Promise<StoredRun> {
  const run = runId !== undefined && isUuid(runId) ? await runs.find(projectId, runId) : null;
  if (run === null) throw new AppError("not_found", "Run not found");
  return run;
}
