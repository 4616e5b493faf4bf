import { type TraceOutput, traceOutputsMax } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import type { IngestClient } from "../ingest-client.ts";
import { externalSource } from "../judging/judgement.ts";
import type { ResultRow } from "./stored-result.ts";

/**
 * Completes the results of external runs whose output comes with their trace: asks for the outputs and stores the ones that are
 * there. Call it before results are read. A call looks at no more than a thousand results, chosen at random, and never rejects:
 * while ingest does not answer, results go on waiting.
 */
export interface AwaitedOutputs {
  /** Those of one run, if it is external. */
  ofRun(projectId: string, run: { id: string; runSource: string }, requestId: string): Promise<void>;
  /** Those of all runs. */
  ofProject(projectId: string, requestId: string): Promise<void>;
}

/** Results that one call looks at. */
const lookedAtMax = 1_000;
/** A call that takes longer ends; the next one goes on. */
const callMs = 5_000;

type AwaitingRecord = { id: string; document: string; span_id: string | null };

export function createAwaitedOutputs({
  database,
  ingest,
  logger,
}: {
  database: Database;
  ingest: Pick<IngestClient, "readOutputs">;
  logger: Logger;
}): AwaitedOutputs {
  async function store(projectId: string, filled: readonly { id: string; row: ResultRow }[]): Promise<void> {
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

  async function fetchAll(projectId: string, runId: string | null, requestId: string): Promise<void> {
    const endMs = performance.now() + callMs;
    const { rows } = await database.readScoped<AwaitingRecord>([projectId], selectAwaiting(projectId, runId));
    for (let next = 0; next < rows.length && performance.now() < endMs; ) {
      const asked = rows.slice(next, next + traceOutputsMax).map((row) => ({
        id: row.id,
        row: JSON.parse(row.document) as ResultRow,
        spanId: row.span_id,
      }));
      const named = asked.map(({ row, spanId }) => ({ traceId: row.traceId ?? "", spanId }));
      const outputs = await ingest.readOutputs({ projectId, named }, requestId);
      const filled = asked.flatMap(({ id, row }, index) => {
        const output = outputs[index];
        return output ? [{ id, row: fill(row, output) }] : [];
      });
      if (filled.length > 0) await store(projectId, filled);
      next += outputs.length;
    }
  }

  async function fetchPatiently(projectId: string, runId: string | null, requestId: string): Promise<void> {
    try {
      await fetchAll(projectId, runId, requestId);
    } catch (err) {
      logger.warn({ err, requestId, projectId, runId }, "the outputs of traces could not be read");
    }
  }

  return {
    async ofRun(projectId, { id, runSource }, requestId) {
      if (runSource === externalSource) await fetchPatiently(projectId, id, requestId);
    },
    ofProject: (projectId, requestId) => fetchPatiently(projectId, null, requestId),
  };
}

/** What the client stated of the result stays. */
function fill(
  row: ResultRow,
  { traceId, output, error, latencyMs, inputTokens, outputTokens }: TraceOutput,
): ResultRow {
  return {
    ...row,
    traceId,
    output: output === null ? null : { text: output },
    error: output === null && error !== null ? { type: "Error", message: error } : null,
    latencyMs: row.latencyMs ?? latencyMs,
    inputTokens: row.inputTokens ?? inputTokens,
    outputTokens: row.outputTokens ?? outputTokens,
  };
}

/** In random order: traces that never come do not keep the others waiting. */
function selectAwaiting(projectId: string, runId: string | null) {
  return {
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
  };
}
