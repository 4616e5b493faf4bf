import type { Queryable } from "@touchstone/db";
import type { ExportedVerdict } from "./exported-verdict.ts";

/** Queues verdicts for export. */
export interface VerdictExports {
  /**
   * Queues verdicts of a project, in the transaction that records them; does nothing if the installation exports none. An
   * already queued one stays unchanged.
   */
  write(
    transaction: Queryable,
    projectId: string,
    verdicts: readonly Omit<ExportedVerdict, "projectId">[],
  ): Promise<void>;
}

/** Stores {@link VerdictExports} in `monitor.verdict_exports`. */
export function createVerdictExports({ isExporting }: { isExporting: boolean }): VerdictExports {
  return {
    async write(transaction, projectId, verdicts) {
      if (!isExporting || verdicts.length === 0) return;
      await transaction.query({
        name: "verdict_exports_write",
        text: `
          insert into monitor.verdict_exports
            (project_id, verdict_id, trace_id, otel_trace_id, otel_span_id, response_id, session_id, agent_id, run_id,
             scorer_kind, scorer_id, scorer_name, scorer_version, rating, threshold, failing, justification, model,
             given_at)
          select $1::uuid, given.*
          from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::uuid[],
                      $10::text[], $11::text[], $12::text[], $13::integer[], $14::double precision[],
                      $15::double precision[], $16::boolean[], $17::text[], $18::text[], $19::timestamptz[]) as given
          on conflict (project_id, verdict_id) do nothing`,
        values: [
          projectId,
          verdicts.map(({ verdictId }) => verdictId),
          verdicts.map(({ traceId }) => traceId),
          verdicts.map(({ otel }) => otel?.traceId ?? null),
          verdicts.map(({ otel }) => otel?.spanId ?? null),
          verdicts.map(({ otel }) => otel?.responseId ?? null),
          verdicts.map(({ sessionId }) => sessionId),
          verdicts.map(({ agentId }) => agentId),
          verdicts.map(({ runId }) => runId),
          verdicts.map(({ scorerKind }) => scorerKind),
          verdicts.map(({ scorerId }) => scorerId),
          verdicts.map(({ scorerName }) => scorerName),
          verdicts.map(({ scorerVersion }) => scorerVersion),
          verdicts.map(({ rating }) => rating),
          verdicts.map(({ threshold }) => threshold),
          verdicts.map(({ failing }) => failing),
          verdicts.map(({ justification }) => justification),
          verdicts.map(({ model }) => model),
          verdicts.map(({ givenAt }) => givenAt),
        ],
      });
    },
  };
}
