import type { ScriptSpan, ScriptTrace } from "@touchstone/contracts";
import { isDeeperThan } from "@touchstone/service-kit";
import type { ReadSpan } from "../model/read-span.ts";
import { readRecordedText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";
import { decodeSpanBody, readBodyMembers, type SpanBody } from "../model/span-body.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { placeSteps } from "./place-steps.ts";

/** Of a larger trace, only the first spans are scored. */
const spansMax = 500;
/** For one content of a span, and for all contents together: a program gets what fits. */
const contentMaxChars = 64 * 1024;
const contentsMaxChars = 2 * 1024 * 1024;
const textMaxChars = 512 * 1024;
/** Deeper values are shown as text. */
const depthMax = 64;

/** A recorded trace with its spans in start order, itself first, or null if the project has none with this id. */
export async function readScriptTrace(
  traces: TraceStore,
  { projectId, traceId }: { projectId: string; traceId: string },
): Promise<ScriptTrace | null> {
  const spans = await traces.readSubtree(projectId, traceId, spansMax);
  if (spans === null) return null;
  const ids = placeSteps(traceId, spans).map(({ id }) => id);
  const room = { left: contentsMaxChars };
  let trace: Omit<ScriptTrace, "spans"> | null = null;
  const described: ScriptSpan[] = [];
  for await (const slice of traces.readSpans(projectId, ids)) {
    for (const span of slice) {
      const body = readBodyMembers(await decodeSpanBody(span.body));
      if (span.id === traceId) trace = describeTrace(span, body);
      described.push(describeSpan(span, body, room));
    }
  }
  // Null: it was removed in the meantime.
  return trace && { ...trace, spans: described };
}

function describeTrace(span: ReadSpan, { input, output, error, metadata }: SpanBody): Omit<ScriptTrace, "spans"> {
  return {
    traceId: span.id,
    name: span.name,
    agentId: span.agentId,
    sessionId: span.sessionId,
    input: readRecordedText(input, textMaxChars),
    output: readRecordedText(output, textMaxChars),
    error: readRecordedText(error, textMaxChars),
    model: span.model,
    latencyMs: span.latencyMs,
    inputTokens: span.inputTokens,
    outputTokens: span.outputTokens,
    metadata: readContent(metadata, { left: contentMaxChars }),
  };
}

function describeSpan(span: ReadSpan, body: SpanBody, room: { left: number }): ScriptSpan {
  return {
    span_id: span.spanId ?? span.id,
    parent_span_id: span.parentSpanId,
    name: span.name,
    type: span.kind,
    input: readContent(body.input, room),
    output: readContent(body.output, room),
    error: readRecordedText(body.error, 2_000),
    model: span.model,
    latency_ms: span.latencyMs,
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    tool_calls: readContent(body.toolCalls, room),
    metadata: readContent(body.metadata, room),
    started_at: new Date(span.startedAtMs ?? span.createdAtMs).toISOString(),
  };
}

/** The recorded JSON. A value that is too long becomes the beginning of its text, or null if the total is used up. */
function readContent(json: JsonText | null, room: { left: number }): ScriptSpan["input"] {
  if (json === null || room.left <= 0) return null;
  const charsMax = Math.min(contentMaxChars, room.left);
  room.left -= Math.min(json.length, charsMax);
  const value = json.length <= charsMax ? (JSON.parse(json) as ScriptSpan["input"]) : null;
  if (value !== null && !isDeeperThan(value, depthMax)) return value;
  return readRecordedText(json, charsMax);
}
