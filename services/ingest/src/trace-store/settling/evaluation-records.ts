import { type Queryable, selectPart } from "@touchstone/db";
import type { SizedRow } from "@touchstone/service-kit";
import { sliceBytesMax } from "../reading/compose-store.ts";

/** Records in one statement, which ends earlier where they are large. */
const pageRows = 200;

/** A log record that grades a span. */
export interface EvaluationRecord {
  trace_key: string;
  dk: string;
  /** The graded span, which may not have arrived. */
  span_id: string;
  received_at: Date;
  body: Buffer;
}

/**
 * The records that grade spans of these traces, or a response that one of their spans had, in slices of bounded size, after one
 * in their order; `mayFollow`: more of them.
 */
export async function readEvaluationPage(
  read: Queryable["query"],
  projectId: string,
  traceKeys: readonly string[],
  after: EvaluationRecord | null,
): Promise<{ rows: EvaluationRecord[]; mayFollow: boolean }> {
  // The kind of a fragment is the first of its facts. Spans are scanned only if a record of the project has only a
  // response id.
  const records = `
    select trace_key, dk, span_id, received_at, body, octet_length(body) as body_bytes
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
  const text = selectPart({
    rows: records,
    stored: { body_bytes: ["body"] },
    order: "trace_key, dk",
    columns: "trace_key, dk, span_id, received_at, body",
    bytesMax: "$6",
  });
  const place = after === null ? [null, null] : [after.trace_key, after.dk];
  const values = [projectId, traceKeys, ...place, pageRows, sliceBytesMax];
  const { rows } = await read<EvaluationRecord & SizedRow>({ name: "evaluations_received", text, values });
  const isCut = (rows.at(-1)?.nextBytes ?? null) !== null;
  return { rows, mayFollow: isCut || rows.length === pageRows };
}
