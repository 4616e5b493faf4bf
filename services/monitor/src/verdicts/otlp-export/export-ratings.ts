import type { RatedResult } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import { otelNameOf } from "../../model/otel-name.ts";
import { readNamedTraces } from "../../traces/seen-trace-reader.ts";
import { selectDeletedProjects } from "../../traces/settled-trace-store.ts";
import type { VerdictExports } from "./verdict-queue-store.ts";

const justificationMaxChars = 4_000;

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
      const traces = await readNamedTraces(
        transaction,
        projectId,
        results.map(({ traceId }) => traceId),
      );
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
