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

/** Reading what is stored of a run's results. */
export interface ResultStore {
  /** All results of a run: by question index, run number, originals before variants, then creation (completions 5.5). */
  list(projectId: string, runId: string): Promise<ReadResult[]>;
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
