import type { tracesJudged } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

/** Live verdicts of traces, stored beside them. */
export interface VerdictStore {
  /**
   * Stores verdicts newer than the stored ones. Verdicts of unknown or removed traces are dropped. Idempotent, and
   * independent of order.
   */
  keep(traces: z.output<typeof tracesJudged.body>["traces"]): Promise<void>;
}

/** Stores {@link VerdictStore} in the schema `ingest`, under the maintenance role: one event covers many projects. */
export function createVerdictStore(maintenance: Database): VerdictStore {
  return {
    async keep(traces) {
      await maintenance.query({
        // The lock prevents concurrent removal of the span: a verdict must not outlive it. Of two revisions in one
        // event the greater one comes first; the other is dropped as a known one.
        name: "trace_verdicts_keep",
        text: `
          with judged as materialized (
            select distinct on (project_id, trace_id) *
            from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[])
              as u (project_id, trace_id, revision, judge_scores, topic, failure)
            order by project_id, trace_id, revision desc
          ),
          known as materialized (
            select judged.*
            from judged
            cross join lateral (
              select from ingest.spans
              where spans.project_id = judged.project_id and spans.id = judged.trace_id
              limit 1
              for key share
            ) there
          )
          insert into ingest.trace_verdicts as verdicts (project_id, trace_id, revision, judge_scores, topic, failure)
          select *
          from known
          on conflict (project_id, trace_id) do update
          set revision = excluded.revision, judge_scores = excluded.judge_scores, topic = excluded.topic,
            failure = excluded.failure
          where verdicts.revision < excluded.revision`,
        values: [
          traces.map(({ projectId }) => projectId),
          traces.map(({ traceId }) => traceId),
          traces.map(({ revision }) => revision),
          traces.map(({ judgeScores }) => (judgeScores === null ? null : JSON.stringify(judgeScores))),
          traces.map(({ topic }) => (topic === null ? null : JSON.stringify(topic))),
          traces.map(({ failure }) => failure ?? null),
        ],
      });
    },
  };
}
