import type { Database } from "@touchstone/db";
import type { ResultRow } from "./stored-result.ts";

/** Results that one call looks at. */
const lookedAtMax = 1_000;

/** A result that waits for the output of its trace. */
type AwaitingRecord = {
  id: string;
  /** JSON text. */
  document: string;
  /** Of its item, if it has one. */
  span_id: string | null;
};

/**
 * Results that wait for their outputs, of one run, or of all runs for null. In random order: traces that never come do not keep
 * the others waiting.
 */
export async function listAwaiting(
  database: Database,
  projectId: string,
  runId: string | null,
): Promise<AwaitingRecord[]> {
  const { rows } = await database.readScoped<AwaitingRecord>([projectId], {
    name: runId === null ? "results_awaiting_of_project" : "results_awaiting_of_run",
    text: `
      select results.id, results.document::text, run_items.span_id
      from (
        select *
        from evals.results
        where project_id = $1
          ${runId === null ? "" : "and run_id = $2"}
          and skip_reason = 'awaiting_output'
        order by random()
        limit ${lookedAtMax}
      ) results
      left join lateral (
        select span_id
        from evals.run_items
        where run_items.project_id = $1
          and run_items.run_id = results.run_id
          and run_items.result_id = results.id
      ) run_items on true`,
    values: runId === null ? [projectId] : [projectId, runId],
  });
  return rows;
}

/** Stores results with their outputs, those that still wait. */
export async function fillOutputs(
  database: Database,
  projectId: string,
  filled: readonly { id: string; row: ResultRow }[],
): Promise<void> {
  await database.scoped([projectId], (transaction) =>
    transaction.query({
      name: "results_fill_outputs",
      text: `
        update evals.results
        set document = ($3::text[])[array_position($2::uuid[], id)]::json,
            skip_reason = 'scored_by_client'
        where project_id = $1
          and id = any ($2)
          and skip_reason = 'awaiting_output'`,
      values: [projectId, filled.map(({ id }) => id), filled.map(({ row }) => JSON.stringify(row))],
    }),
  );
}
