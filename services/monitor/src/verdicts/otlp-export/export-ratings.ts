import type { RatedResult } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import { otelNameOf } from "../../model/otel-name.ts";
import { selectDeletedProjects } from "../../traces/settled-trace-store.ts";
import type { VerdictExports } from "./verdict-queue-store.ts";

const justificationMaxChars = 4_000;

interface KnownTrace {
  trace_id: string;
  agent_id: string | null;
  otel_trace_id: string | null;
  otel_span_id: string | null;
  response_id: string | null;
}

/**
 * Queues verdicts of evaluations for export, with the known data of their traces: for a trace that has not settled, or settled
 * long ago, only its id.
 */
export async function exportRatings(
  { database, verdictExports }: { database: Database; verdictExports: VerdictExports },
  rated: readonly RatedResult[],
): Promise<void> {
  const closed = await selectDeletedProjects(database, rated);
  for (const [projectId, results] of Map.groupBy(rated, (each) => each.projectId)) {
    if (closed.has(projectId)) continue;
    await database.scoped([projectId], async (transaction) => {
      const traces = await readTraces(transaction, projectId, results);
      const verdicts = results.map(({ ratedAt, justification, ...verdict }) => {
        const trace = traces.get(verdict.traceId);
        const { otel_trace_id: otelTraceId, otel_span_id: otelSpanId, response_id: responseId } = trace ?? {};
        return {
          ...verdict,
          otel: otelNameOf({ otelTraceId, otelSpanId, responseId }),
          sessionId: null,
          agentId: trace?.agent_id ?? null,
          scorerVersion: null,
          threshold: null,
          failing: null,
          justification: storableText(justification, justificationMaxChars),
          givenAt: ratedAt,
        };
      });
      await verdictExports.write(transaction, projectId, verdicts);
    });
  }
}

async function readTraces(
  transaction: Queryable,
  projectId: string,
  results: readonly RatedResult[],
): Promise<Map<string, KnownTrace>> {
  const { rows } = await transaction.query<KnownTrace>({
    name: "seen_traces_named",
    text: `
      select trace_id, agent_id, otel_trace_id, otel_span_id, response_id
      from monitor.seen_traces
      where project_id = $1
        and trace_id = any ($2::uuid[])`,
    values: [projectId, results.map(({ traceId }) => traceId)],
  });
  return new Map(rows.map((row) => [row.trace_id, row]));
}
