import type { Queryable } from "@touchstone/db";

/** Records in one statement. */
export const evaluationPageRows = 200;

/** A log record that grades a span. */
export interface EvaluationRecord {
  trace_key: string;
  dk: string;
  /** The graded span, which may not have arrived. */
  span_id: string;
  received_at: Date;
  body: Buffer;
}

/** The records that grade spans of these traces, or a response that one of their spans had, after one in their order. */
export async function readEvaluationPage(
  read: Queryable["query"],
  projectId: string,
  traceKeys: readonly string[],
  after: EvaluationRecord | null,
): Promise<EvaluationRecord[]> {
  // The kind of a fragment is the first of its facts. Spans are scanned only if a record of the project has only a
  // response id.
  const text = `
    select trace_key, dk, span_id, received_at, body
    from (
      select trace_key, dk, span_id, received_at, facts, body
      from ingest.log_fragments
      where project_id = $1 and trace_key = any($2::uuid[]) and span_id is not null
      union all
      select answers.trace_key, dk, answers.span_id, received_at, facts, body
      from (
        select distinct on (trace_key, response_id) trace_key, response_id, span_id
        from ingest.spans
        where project_id = $1 and trace_key = any($2::uuid[]) and response_id is not null and exists (
          select from ingest.log_fragments where project_id = $1 and trace_key is null and response_id is not null
        )
        order by trace_key, response_id, started_at, span_id
      ) answers
      join ingest.log_fragments fragments on project_id = $1 and fragments.response_id = answers.response_id
      where fragments.trace_key is null
    ) records
    where starts_with(facts, '{"kind":"evaluation"') and ($3::uuid is null or (trace_key, dk) > ($3, $4::uuid))
    order by trace_key, dk
    limit $5`;
  const place = after === null ? [null, null] : [after.trace_key, after.dk];
  const values = [projectId, traceKeys, ...place, evaluationPageRows];
  return (await read<EvaluationRecord>({ name: "evaluations_received", text, values })).rows;
}
