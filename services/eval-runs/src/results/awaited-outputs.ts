import { type TraceOutput, traceOutputsMax } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import type { IngestClient } from "../ingest-client.ts";
import { externalSource } from "../judging/judgement.ts";
import { fillOutputs, listAwaiting } from "./awaited-output-store.ts";
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

/** A call that takes longer ends; the next one goes on. */
const callMs = 5_000;

export function createAwaitedOutputs({
  database,
  ingest,
  logger,
}: {
  database: Database;
  ingest: Pick<IngestClient, "readOutputs">;
  logger: Logger;
}): AwaitedOutputs {
  async function fetchAll(projectId: string, runId: string | null, requestId: string): Promise<void> {
    const endMs = performance.now() + callMs;
    const awaiting = await listAwaiting(database, projectId, runId);
    for (let next = 0; next < awaiting.length && performance.now() < endMs; ) {
      const asked = awaiting.slice(next, next + traceOutputsMax).map((row) => ({
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
      if (filled.length > 0) await fillOutputs(database, projectId, filled);
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
