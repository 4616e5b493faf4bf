import type { Database, Statement } from "@touchstone/db";
import type { CountedResult, ResultTally } from "../runs/statistics.ts";

/** A result read back: what is counted of it, and its row as JSON text. */
export interface ReadResult extends CountedResult {
  rowText: string;
}

/** A run's state and the histogram of its results, read together. */
export interface RunProgress {
  status: "in_progress" | "completed" | "failed";
  tallies: ResultTally[];
}

/** One stored result by the key it was submitted under. */
export interface StoredKey {
  idempotencyKey: string;
  questionIndex: number | null;
  runNumber: number | null;
  isVariant: boolean;
}

/** What a list of runs counts: of single-judge runs no row is opened. */
export interface CountedRuns {
  ofOneJudge: readonly string[];
  ofSeveral: readonly string[];
}

/** Reading what is stored of a run's results. */
export interface ResultStore {
  /** All results of a run: by question index, run number, originals before variants, then creation (completions 5.5). */
  list(projectId: string, runId: string): Promise<ReadResult[]>;
  /** What is counted of several runs, by run id; the rows of those with one judge hold nothing. */
  listCounted(projectId: string, runs: CountedRuns): Promise<Map<string, ReadResult[]>>;
  /** The idempotency keys of a run's results, in the order of {@link list}. */
  listKeys(projectId: string, runId: string): Promise<StoredKey[]>;
  /** Two statements in one wait, however many results there are; null when there is no such run. */
  readProgress(projectId: string, runId: string): Promise<RunProgress | null>;
}

export function createResultStore(database: Database): ResultStore {
  return {
    async list(projectId, runId) {
      // Ids sort by creation. Numbers come as texts of bigint, which JSON could not hold.
      const { rows } = await database.readScoped<{
        question_index: string | null;
        is_variant: boolean;
        status: CountedResult["status"];
        rating: number | null;
        document: string;
      }>([projectId], {
        name: "results_list",
        text: `
          select question_index, is_variant, status, rating, document::text
          from evals.results
          where project_id = $1
            and run_id = $2
          order by question_index nulls last, run_number nulls last, is_variant, id`,
        values: [projectId, runId],
      });
      return rows.map((row) => ({
        questionIndex: row.question_index === null ? null : Number(row.question_index),
        isVariant: row.is_variant,
        status: row.status,
        rating: row.rating,
        rowText: row.document,
      }));
    },

    async listCounted(projectId, { ofOneJudge, ofSeveral }) {
      const { rows } = await database.readScoped<{
        run_id: string;
        question_index: string | null;
        is_variant: boolean;
        status: CountedResult["status"];
        rating: number | null;
        document: string | null;
      }>([projectId], {
        name: "results_list_counted",
        text: `
          select run_id, question_index, is_variant, status, rating, null::text as document
          from evals.results
          where project_id = $1
            and run_id = any ($2::uuid[])
          union all
          select run_id, question_index, is_variant, status, rating, document::text
          from evals.results
          where project_id = $1
            and run_id = any ($3::uuid[])`,
        values: [projectId, ofOneJudge, ofSeveral],
      });
      const counted = rows.map((row) => ({
        runId: row.run_id,
        questionIndex: row.question_index === null ? null : Number(row.question_index),
        isVariant: row.is_variant,
        status: row.status,
        rating: row.rating,
        rowText: row.document ?? '{"judgeScorerResults":null}',
      }));
      return Map.groupBy(counted, (result) => result.runId);
    },

    async listKeys(projectId, runId) {
      const { rows } = await database.readScoped<{
        idempotency_key: string;
        question_index: string | null;
        run_number: string | null;
        is_variant: boolean;
      }>([projectId], {
        name: "results_list_keys",
        text: `
          select idempotency_key, question_index, run_number, is_variant
          from evals.results
          where project_id = $1
            and run_id = $2
          order by question_index nulls last, run_number nulls last, is_variant, id`,
        values: [projectId, runId],
      });
      return rows.map((row) => ({
        idempotencyKey: row.idempotency_key,
        questionIndex: row.question_index === null ? null : Number(row.question_index),
        runNumber: row.run_number === null ? null : Number(row.run_number),
        isVariant: row.is_variant,
      }));
    },

    async readProgress(projectId, runId) {
      const readStatus: Statement = {
        name: "run_read_status",
        text: `
          select status
          from evals.runs
          where project_id = $1
            and id = $2`,
        values: [projectId, runId],
      };
      const [runs, tallies] = await database.readScoped<[{ status: RunProgress["status"] }, TallyRecord]>(
        [projectId],
        [readStatus, buildTally(projectId, runId)],
      );
      const status = runs.rows[0]?.status;
      return status === undefined ? null : { status, tallies: tallies.rows.map(readTally) };
    },
  };
}

interface TallyRecord {
  is_variant: boolean;
  status: ResultTally["status"];
  rating: number | null;
  count: number;
}

/** The histogram that statistics are computed from: exact, and as small as there are different ratings. */
function buildTally(projectId: string, runId: string): Statement {
  const text = `
    select is_variant, status, rating, count(*)::integer as count
    from evals.results
    where project_id = $1
      and run_id = $2
    group by is_variant, status, rating`;
  return { name: "results_tally", text, values: [projectId, runId] };
}

const readTally = (row: TallyRecord): ResultTally => ({
  isVariant: row.is_variant,
  status: row.status,
  rating: row.rating,
  count: row.count,
});
