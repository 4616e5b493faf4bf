import type { tracesJudged } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

/** What live judging says of traces, kept beside them. */
export interface VerdictStore {
  /**
   * Keeps what is newer than what is kept. What is said of a trace that the project does not have, any more or at all, is
   * dropped. May be told anything again, in any order.
   */
  keep(traces: z.output<typeof tracesJudged.body>["traces"]): Promise<void>;
}

/** Keeps {@link VerdictStore} in the schema `ingest`, under the maintenance role: one event tells of many projects. */
export function createVerdictStore(maintenance: Database): VerdictStore {
  return {
    async keep(traces) {
      await maintenance.query({
        // The lock keeps a span from being removed meanwhile: a verdict must not outlive it. Of two revisions in one
        // event the greater comes first, and the other is dropped with the rest that is known.
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
