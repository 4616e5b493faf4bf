import type { Database, Statement } from "@touchstone/db";
import type { SubmittedResult } from "../judging/judgement.ts";
import { inOrder, listedIds, pageRows, selectPage } from "../results/result-page-reader.ts";
import type { ResultRow } from "../results/stored-result.ts";

/** A stored result that no judge could rate. */
export interface SkippedResult {
  id: string;
  idempotencyKey: string;
  caseId: string;
  skipReason: string;
  row: ResultRow;
  submittedContext: SubmittedResult["retrievalContext"];
}

/** The ids of a run's skipped results, in its order. */
export async function listSkipped(database: Database, projectId: string, runId: string): Promise<string[]> {
  const { rows } = await database.readScoped<{ id: string }>([projectId], {
    name: "rescoring_list_skipped",
    text: `
      select id
      from evals.results
      where project_id = $1
        and run_id = $2
        and status = 'skipped'
      order by ${inOrder}`,
    values: [projectId, runId],
  });
  return rows.map(({ id }) => id);
}

/** Those of these results that are still skipped, in their order, page by page. */
export async function* readSkipped(
  database: Database,
  projectId: string,
  ids: readonly string[],
): AsyncGenerator<SkippedResult> {
  for (let next = 0; next < ids.length; ) {
    const wanted = ids.slice(next, next + pageRows);
    const { rows } = await database.readScoped<SkippedRecord>([projectId], buildSkippedPage(projectId, wanted));
    yield* rows.map(readRow);
    // Without a row none of the requested results is skipped any more.
    next += Number(rows.at(-1)?.place ?? wanted.length);
  }
}

interface SkippedRecord {
  place: string;
  id: string;
  idempotency_key: string;
  case_id: string;
  skip_reason: string;
  document: string;
  submitted_context: string | null;
}

const readRow = (row: SkippedRecord): SkippedResult => ({
  id: row.id,
  idempotencyKey: row.idempotency_key,
  caseId: row.case_id,
  skipReason: row.skip_reason,
  row: JSON.parse(row.document) as ResultRow,
  submittedContext:
    row.submitted_context === null ? null : (JSON.parse(row.submitted_context) as SubmittedResult["retrievalContext"]),
});

function buildSkippedPage(projectId: string, ids: readonly string[]): Statement {
  const page = `
    select listed.place, results.id, idempotency_key, case_id, skip_reason, document::text, submitted_context::text
    from ${listedIds}
    join evals.results
      on results.project_id = $1
      and results.id = listed.id
      and results.status = 'skipped'
    offset 0`;
  const size = "octet_length(document) + coalesce(octet_length(submitted_context), 0)";
  const text = selectPage({ page, order: "place", size });
  return { name: "rescoring_read_skipped", text, values: [projectId, ids] };
}
