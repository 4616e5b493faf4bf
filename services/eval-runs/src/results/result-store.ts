import { type Database, readableJson, type Statement } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import type { CountedResult, ResultTally } from "../statistics/result-tally.ts";
import { countNextRows, inOrder, isLastPage, listedIds, pageRows, selectPage } from "./result-page-reader.ts";

/** The counted values of a result, with the key of its row. */
export interface OutlinedResult extends CountedResult {
  id: string;
}

/** A stored result: its counted values, and its row as JSON text. */
export interface ReadResult extends OutlinedResult {
  /** The reason why it was skipped; null for other results. */
  skipReason: string | null;
  rowText: string;
}

/** A result, and what a client's score may name it by. */
export interface ScorableResult extends OutlinedResult {
  caseId: string;
  runNumber: number | null;
  traceId: string | null;
  /** The span of an item of an experiment: of several items in one trace, each has one of its own. */
  spanId: string | null;
}

/** A run's state and the histogram of its results, read together. */
export interface RunProgress {
  status: "in_progress" | "completed" | "failed";
  tallies: ResultTally[];
}

/** One stored result by its idempotency key. */
export interface StoredKey {
  idempotencyKey: string;
  questionIndex: number | null;
  runNumber: number | null;
  isVariant: boolean;
}

/** Reads the stored results of a run. */
export interface ResultStore {
  /** All results of a run without their rows: by question index, run number, originals before variants, then creation (completions 5.5). */
  outline(projectId: string, runId: string): Promise<OutlinedResult[]>;
  /** The same results with what a client's score may name. */
  listScorable(projectId: string, runId: string): Promise<ScorableResult[]>;
  /**
   * The same results with their rows, page by page. The set of results is a snapshot; each row is read when its page is read.
   * Most runs have one page, which takes one statement. Throws `not_found` when the run is deleted meanwhile.
   */
  pages(projectId: string, runId: string): AsyncGenerator<readonly ReadResult[]>;
  /**
   * The results with these ids, in their order, page by page. Throws `not_found` when one is missing, since its run was
   * deleted.
   */
  pagesOf(projectId: string, ids: readonly string[]): AsyncGenerator<readonly ReadResult[]>;
  /** The idempotency keys of a run's results, in the order of {@link outline}. */
  listKeys(projectId: string, runId: string): Promise<StoredKey[]>;
  /** Two statements in one round trip, regardless of the number of results; null when there is no such run. */
  readProgress(projectId: string, runId: string): Promise<RunProgress | null>;
}

export function createResultStore(database: Database): ResultStore {
  async function* pagesOf(
    projectId: string,
    ids: readonly string[],
    { from, rowsMax }: { from: number; rowsMax: number },
  ): AsyncGenerator<readonly ReadResult[]> {
    let asked = rowsMax;
    for (let next = from; next < ids.length; ) {
      const wanted = ids.slice(next, next + asked);
      const { rows } = await database.readScoped<ResultRecord>([projectId], buildPage(projectId, wanted));
      if (rows.length === 0 || rows.some(({ id }, index) => id !== wanted[index])) throw runGone();
      next += rows.length;
      asked = countNextRows(rows);
      yield rows.map(readResult);
    }
  }

  return {
    async outline(projectId, runId) {
      const { rows } = await database.readScoped<OutlineRecord>([projectId], {
        name: "results_outline",
        text: `
          select id, question_index, is_variant, status, rating
          from evals.results
          where project_id = $1
            and run_id = $2
          order by ${inOrder}`,
        values: [projectId, runId],
      });
      return rows.map(readOutline);
    },

    async listScorable(projectId, runId) {
      const { rows } = await database.readScoped<ScorableRecord>([projectId], {
        name: "results_scorable",
        text: `
          select id, question_index, is_variant, status, rating, case_id, run_number,
                 ${readableJson("document")} -> 'traceId' as trace_id,
                 (
                   select span_id
                   from evals.run_items
                   where run_items.project_id = $1
                     and run_items.run_id = $2
                     and run_items.result_id = results.id
                 ) as span_id
          from evals.results
          where project_id = $1
            and run_id = $2
          order by ${inOrder}`,
        values: [projectId, runId],
      });
      return rows.map((row) => ({
        ...readOutline(row),
        caseId: row.case_id,
        runNumber: row.run_number === null ? null : Number(row.run_number),
        traceId: row.trace_id,
        spanId: row.span_id,
      }));
    },

    async *pages(projectId, runId) {
      const { rows: first } = await database.readScoped<ResultRecord>([projectId], buildFirstPage(projectId, runId));
      if (isLastPage(first)) {
        if (first.length > 0) yield first.map(readResult);
        return;
      }
      const { rows: listed } = await database.readScoped<{ id: string }>([projectId], buildIds(projectId, runId));
      const ids = listed.map(({ id }) => id);
      // A result that was stored in between is included, and may sort before rows already read.
      const read = first.every(({ id }, index) => id === ids[index]) ? first.length : 0;
      if (read > 0) yield first.map(readResult);
      yield* pagesOf(projectId, ids, { from: read, rowsMax: countNextRows(first) });
    },

    pagesOf: (projectId, ids) => pagesOf(projectId, ids, { from: 0, rowsMax: pageRows }),

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
          order by ${inOrder}`,
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

/** The run was deleted while it was read. */
const runGone = () => new AppError("not_found", "Run not found");

type ScorableRecord = OutlineRecord & {
  case_id: string;
  run_number: string | null;
  trace_id: string | null;
  span_id: string | null;
};

interface OutlineRecord {
  id: string;
  /** bigint numbers as texts, since JSON numbers cannot represent them. */
  question_index: string | null;
  is_variant: boolean;
  status: CountedResult["status"];
  rating: number | null;
}

interface ResultRecord extends OutlineRecord {
  skip_reason: string | null;
  document: string;
  bytes: string;
}

const readOutline = (row: OutlineRecord): OutlinedResult => ({
  id: row.id,
  questionIndex: row.question_index === null ? null : Number(row.question_index),
  isVariant: row.is_variant,
  status: row.status,
  rating: row.rating,
});

const readResult = (row: ResultRecord): ReadResult => ({
  ...readOutline(row),
  skipReason: row.skip_reason,
  rowText: row.document,
});

function buildIds(projectId: string, runId: string): Statement {
  const text = `
    select id
    from evals.results
    where project_id = $1
      and run_id = $2
    order by ${inOrder}`;
  return { name: "results_ids", text, values: [projectId, runId] };
}

const pageColumns = "results.id, question_index, run_number, is_variant, status, skip_reason, rating, document::text";
const documentSize = "octet_length(document)";

function buildFirstPage(projectId: string, runId: string): Statement {
  const page = `
    select ${pageColumns}
    from evals.results
    where project_id = $1
      and run_id = $2
    order by ${inOrder}
    limit ${pageRows}`;
  const text = selectPage({ page, order: inOrder, size: documentSize });
  return { name: "results_first_page", text, values: [projectId, runId] };
}

function buildPage(projectId: string, ids: readonly string[]): Statement {
  const page = `
    select listed.place, ${pageColumns}
    from ${listedIds}
    join evals.results
      on results.project_id = $1
      and results.id = listed.id
    offset 0`;
  const text = selectPage({ page, order: "place", size: documentSize });
  return { name: "results_page", text, values: [projectId, ids] };
}

interface TallyRecord {
  is_variant: boolean;
  status: ResultTally["status"];
  rating: number | null;
  count: number;
}

/** The histogram that statistics are computed from: exact, with one row per distinct rating. */
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
