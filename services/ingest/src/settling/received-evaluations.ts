import type { ReceivedEvaluation } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import type { FragmentBody } from "../model/fragment-body.ts";
import type { DueTrace } from "../trace-store/settling/due-traces.ts";
import { type EvaluationRecord, readEvaluationPage } from "../trace-store/settling/evaluation-records.ts";
import { createRootFinder, readPlaces } from "../trace-store/settling/trace-places.ts";

const nameMaxChars = 200;
const labelMaxChars = 1_000;
const explanationMaxChars = 10_000;

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
    const page = await readEvaluationPage(read, projectId, [...byKey.keys()], after);
    for (const record of page.rows) {
      const trace = byKey.get(record.trace_key) as DueTrace;
      const find = finders.get(trace.traceKey) ?? (await createIdFinder(read, trace));
      finders.set(trace.traceKey, find);
      const traceId = find(record.span_id);
      // The missing span makes the trace settle when it arrives.
      if (traceId !== null) yield { trace, evaluation: toEvaluation(record, { projectId, traceId }) };
    }
    after = page.mayFollow ? (page.rows.at(-1) ?? null) : null;
  } while (after !== null);
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
