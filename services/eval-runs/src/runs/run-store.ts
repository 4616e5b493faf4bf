import type { Database, Statement } from "@touchstone/db";

export type RunStatus = "in_progress" | "completed" | "failed";
export type TerminalStatus = Exclude<RunStatus, "in_progress">;

/** A run without its results. */
export interface StoredRun {
  id: string;
  datasetId: string;
  /** The version of the dataset this run was created with; it is graded by that one to its end. */
  datasetVersion: number;
  /** JSON text as it was sent, or null. */
  evaluationSubject: string | null;
  runSource: string;
  status: RunStatus;
  /** Set once finalizing has begun: no new batch is taken. */
  closingAs: TerminalStatus | null;
  createdAt: Date;
}

/** A run as it is created. */
export type NewRun = Omit<StoredRun, "status" | "closingAs"> & { sdk: string | null };

export interface RunStore {
  insert(projectId: string, run: NewRun): Promise<void>;
  find(projectId: string, id: string): Promise<StoredRun | null>;
  /** Closes a run to new batches; the first caller decides how it will end. Null when there is no such run. */
  beginClosing(projectId: string, id: string, status: TerminalStatus): Promise<StoredRun | null>;
  /** How many results are still being judged under a live lease. */
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
      await writeOne(projectId, {
        name: "run_insert",
        text: `
          insert into evals.runs (
            project_id, id, dataset_id, dataset_version, evaluation_subject, sdk, run_source, created_at
          )
          values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        values: [
          projectId,
          run.id,
          run.datasetId,
          run.datasetVersion,
          run.evaluationSubject,
          run.sdk,
          run.runSource,
          run.createdAt,
        ],
      });
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

    async beginClosing(projectId, id, status) {
      // A terminal run is returned as it is: finalizing is idempotent, and failed stays failed.
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

const runColumns = `
  id, dataset_id, dataset_version, evaluation_subject::text, run_source, status, closing_as, created_at`;

type RunRow = {
  id: string;
  dataset_id: string;
  dataset_version: number;
  evaluation_subject: string | null;
  run_source: string;
  status: RunStatus;
  closing_as: TerminalStatus | null;
  created_at: Date;
};

const readRow = (row: RunRow): StoredRun => ({
  id: row.id,
  datasetId: row.dataset_id,
  datasetVersion: row.dataset_version,
  evaluationSubject: row.evaluation_subject,
  runSource: row.run_source,
  status: row.status,
  closingAs: row.closing_as,
  createdAt: row.created_at,
});
