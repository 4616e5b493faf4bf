import type { ReceivedEvaluation } from "@touchstone/contracts";
import type { Queryable, Statement } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import type { FragmentBody } from "../model/fragment-body.ts";
import type { DueTrace } from "../trace-store/settling/due-traces.ts";
import { createRootFinder, readPlaces } from "../trace-store/settling/trace-places.ts";

/** Records in one statement. */
const pageRows = 200;
const nameMaxChars = 200;
const labelMaxChars = 1_000;
const explanationMaxChars = 10_000;

interface EvaluationRecord {
  trace_key: string;
  dk: string;
  /** The graded span, which may not have arrived. */
  span_id: string;
  received_at: Date;
  body: Buffer;
}

/** Finds the root above a span; null = the span is missing. */
type RootIdFinder = (spanId: string) => string | null;

/**
 * The evaluations of these traces in log records (otlp 7): of their spans, and of a response that one of their spans
 * had. `read` is scoped to the project.
 */
export async function* readEvaluations(
  read: Queryable["query"],
  projectId: string,
  traces: readonly DueTrace[],
): AsyncIterable<{ trace: DueTrace; evaluation: ReceivedEvaluation }> {
  const byKey = new Map(traces.filter(({ rootIds }) => rootIds.length > 0).map((trace) => [trace.traceKey, trace]));
  const finders = new Map<string, RootIdFinder>();
  let after: EvaluationRecord | null = null;
  do {
    const page: Statement = buildEvaluationRead(projectId, [...byKey.keys()], after);
    const { rows } = await read<EvaluationRecord>(page);
    for (const record of rows) {
      const trace = byKey.get(record.trace_key) as DueTrace;
      const find = finders.get(trace.traceKey) ?? (await createIdFinder(read, trace));
      finders.set(trace.traceKey, find);
      const traceId = find(record.span_id);
      // The missing span makes the trace settle when it arrives.
      if (traceId !== null) yield { trace, evaluation: toEvaluation(record, { projectId, traceId }) };
    }
    after = rows.length < pageRows ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

function buildEvaluationRead(
  projectId: string,
  traceKeys: readonly string[],
  after: EvaluationRecord | null,
): Statement {
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
  return { name: "evaluations_received", text, values: [projectId, traceKeys, ...place, pageRows] };
}

/** Most traces have one root, and their spans need not be read. */
async function createIdFinder(read: Queryable["query"], trace: DueTrace): Promise<RootIdFinder> {
  const [only, ...others] = trace.rootIds;
  if (only !== undefined && others.length === 0) return () => only;
  const find = createRootFinder(await readPlaces(read, trace));
  return (spanId) => find(spanId)?.id ?? null;
}

function toEvaluation(
  { trace_key, span_id, received_at, body }: EvaluationRecord,
  named: Pick<ReceivedEvaluation, "projectId" | "traceId">,
): ReceivedEvaluation {
  const { evaluation } = JSON.parse(body.toString()) as FragmentBody;
  const { label = null, explanation = null, score = null } = evaluation ?? {};
  return {
    ...named,
    otelTraceId: trace_key.replaceAll("-", ""),
    otelSpanId: span_id,
    name: storableText(evaluation?.name ?? "", nameMaxChars),
    score,
    label: label === null ? null : storableText(label, labelMaxChars),
    explanation: explanation === null ? null : storableText(explanation, explanationMaxChars),
    at: evaluation?.evaluatedAt ?? received_at.toISOString(),
  };
}
