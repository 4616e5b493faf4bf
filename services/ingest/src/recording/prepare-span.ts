import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "@touchstone/contracts";
import { storableText, uuidv7 } from "@touchstone/service-kit";
import { describeRoot } from "../model/describe-root.ts";
import { agentIdOf, hashUuid, toUuid } from "../model/ids.ts";
import type { OwnFacts } from "../model/own-facts.ts";
import { writeSettledFacts } from "../model/settled-facts.ts";
import type { IncomingSpan, JsonText } from "../model/span.ts";
import { encodeSpanBody } from "../model/span-body.ts";
import { otlpFlag, remoteParentFlag, type SpanJob, type SpanRow, unmonitoredFlag } from "../model/span-row.ts";
import { toTokenList } from "../model/token-list.ts";
import { type CallOutcome, readCallOutcomes } from "../model/tool-calls.ts";
import { writeToolTally } from "../model/tool-tally.ts";
import { searchText } from "../search/search-text.ts";
import { capField } from "./cap-field.ts";

/** The context of spans in a request. */
export interface SpanContext {
  projectId: string;
  /** Time of receipt. */
  nowMs: number;
  /** Longest JSON text of one stored field; null = unlimited. */
  fieldCharsMax: number | null;
  /** The existing agent that the sender chose; null = the root's name registers one. */
  agentId: string | null;
  /** See `StoredTrace`. */
  monitor: boolean | null;
  patternIds: string[] | null;
  /** True if live checks include child spans, so that those of REST settle as well. Absent = false. */
  settlesChildren?: boolean;
}

/** 9999-12-31T23:59:59.999Z, the last instant that ISO 8601 writes with four digits. */
const latestMs = 253_402_300_799_999;
/** Memory of a row's columns in the queue, without the body. */
const rowOverheadBytes = 600;
/** How long the spans of one export may block the event loop. */
const sliceMs = 2;

/** Makes rows of spans, in order. Yields to other requests: an export may hold a hundred thousand spans. */
export async function prepareSpans(spans: readonly IncomingSpan[], context: SpanContext): Promise<SpanJob> {
  const rows: SpanRow[] = [];
  let bytes = 0;
  let sliceStartMs = performance.now();
  for (const span of spans) {
    const encoded = encodeBody(span, context.fieldCharsMax);
    const row = prepareRow(span, context, Buffer.isBuffer(encoded) ? encoded : await encoded);
    rows.push(row);
    bytes += row.body.length + rowOverheadBytes;
    if (performance.now() - sliceStartMs > sliceMs) {
      await nextTurn();
      sliceStartMs = performance.now();
    }
  }
  return { projectId: context.projectId, rows, bytes };
}

function prepareRow(span: IncomingSpan, context: SpanContext, body: Buffer): SpanRow {
  const { projectId } = context;
  const isOtlp = span.producer === "otlp";
  const isRoot = span.parentSpanId === null || span.parentIsRemote;
  const name = storableText(span.name, limits.traceNameMaxChars);
  const createdAtMs = chooseCreatedAt(span, context.nowMs);
  const id = span.id ?? uuidv7(createdAtMs);
  const spanId = maybeStorable(span.spanId);
  const sessionId = maybeStorable(span.sessionId);
  const parentSpanId = maybeStorable(span.parentSpanId);
  const model = maybeStorable(span.model);
  const source = span.trafficSource;
  const agentName =
    isRoot && context.agentId === null ? storableText(span.agentName ?? name, limits.traceNameMaxChars) : null;
  const hasError = span.error !== null && span.error !== "";
  const framework = span.framework === null ? null : storableText(span.framework, limits.frameworkMaxChars);
  const latencyMs = roundLatency(span.latencyMs);
  const agentId = agentName === null ? (isRoot ? context.agentId : null) : agentIdOf(projectId, agentName);
  const settles = !isOtlp && (isRoot || context.settlesChildren === true);
  // The agent of a child is the one it names: its root may not have arrived.
  const flags =
    (isOtlp ? otlpFlag : 0) |
    (span.parentIsRemote ? remoteParentFlag : 0) |
    (context.monitor === false ? unmonitoredFlag : 0);
  const described = { id, agentId: agentId ?? context.agentId, name, createdAtMs, source, flags };
  const ownTokens = toTokenList([
    span.inputTokens,
    span.outputTokens,
    span.cacheReadTokens,
    span.cacheWriteTokens,
    span.tree?.reasoningTokens,
  ]);
  return {
    id,
    dk: dedupeKey(span.producer, span.otelTraceId, spanId),
    traceKey: traceKey({ otelTraceId: span.otelTraceId, sessionId, parentSpanId, spanId }),
    spanId,
    parentSpanId,
    isRoot,
    createdAtMs,
    startedAtMs: maybeInstant(span.startedAtMs),
    endedAtMs: maybeInstant(span.endedAtMs),
    sessionId,
    agentId,
    agentName,
    name,
    kind: span.kind,
    framework,
    source,
    model,
    hasError,
    latencyMs,
    ownTokens,
    aggTokens: null,
    // For an OTel span, the derivation of its trace decides.
    netTokens: isOtlp ? null : ownTokens,
    tools: isOtlp ? null : writeToolTally(callsOf(span, { name, hasError })),
    facts: isOtlp ? ownFacts(span, { name, sessionId, model }) : null,
    derived: null,
    ...(span.tree?.prompt !== undefined && { prompt: span.tree.prompt }),
    responseId: maybeStorable(span.tree?.responseId ?? null),
    parentDk: isOtlp ? null : dedupeKey("rest", null, parentSpanId),
    flags,
    body,
    event: settles ? describeRoot(projectId, described, context) : null,
    settled: settles ? writeSettledFacts({ ...span, sessionId, framework, model, latencyMs, hasError }) : null,
    doc: isRoot && !isOtlp ? searchText({ ...span, id, name, sessionId }) : null,
  };
}

/** The calls that a REST span lists; a tool span is itself one. */
function callsOf(
  { kind, toolCalls }: IncomingSpan,
  { name, hasError }: { name: string; hasError: boolean },
): CallOutcome[] {
  const listed = readCallOutcomes(toolCalls);
  return listed.length === 0 && kind === "tool" ? [{ name, hasFailed: hasError }] : listed;
}

/** `timestamp`, else the span's start, else receipt; at most one minute ahead (completions 2.1). */
function chooseCreatedAt(span: IncomingSpan, nowMs: number): number {
  const statedMs = Math.trunc(span.timestampMs ?? span.startedAtMs ?? nowMs);
  const isStorable = statedMs >= 0 && statedMs <= nowMs + limits.timestampAheadMaxMs;
  return isStorable ? statedMs : nowMs;
}

/**
 * Per (project, span id) for REST, per (project, trace id, span id) for OTLP: 8 bytes are unique only within a trace.
 */
function dedupeKey(producer: string, otelTraceId: string | null, spanId: string | null): string | null {
  return spanId === null ? null : hashUuid(producer, otelTraceId ?? "", spanId);
}

/** REST has no trace id: spans of a session belong together; without a session, a parent and its children. */
function traceKey(span: Pick<IncomingSpan, "otelTraceId" | "sessionId" | "parentSpanId" | "spanId">): string | null {
  if (span.otelTraceId !== null) return toUuid(span.otelTraceId);
  if (span.sessionId !== null) return hashUuid("session", span.sessionId);
  const top = span.parentSpanId ?? span.spanId;
  return top === null ? null : hashUuid("span", top);
}

function encodeBody(span: IncomingSpan, fieldCharsMax: number | null): Buffer | Promise<Buffer> {
  const cap = (text: JsonText | null): JsonText | null => (text === null ? null : capField(text, fieldCharsMax));
  return encodeSpanBody({
    input: cap(span.input),
    output: cap(span.output),
    error: span.error === null ? null : cap(JSON.stringify(span.error)),
    toolCalls: cap(span.toolCalls),
    // Exempt from the cap (interface: Limits).
    metadata: span.metadata,
    performanceSummary: cap(span.performanceSummary),
  });
}

/** Absent values are left out: this is stored with every row. */
function ownFacts(span: IncomingSpan, row: Pick<SpanRow, "name" | "sessionId" | "model">): OwnFacts {
  const { responseId: _column, reasoningTokens: _counted, prompt: _columns, ...tree } = span.tree ?? {};
  const facts: OwnFacts = { name: row.name, ...tree };
  if (row.model !== null) facts.model = row.model;
  if (row.sessionId !== null) facts.session = row.sessionId;
  if (span.error !== null && span.error !== "") facts.failed = true;
  if (span.input !== null) facts.hasInput = true;
  if (span.output !== null) facts.hasOutput = true;
  if (span.tree === undefined && span.agentName !== null) facts.agent = span.agentName;
  return facts;
}

function roundLatency(latencyMs: number | null): number | null {
  if (latencyMs === null) return null;
  const rounded = Math.round(latencyMs * 1000) / 1000;
  return Number.isFinite(rounded) ? rounded : latencyMs;
}

function maybeInstant(atMs: number | null): number | null {
  return atMs !== null && atMs >= 0 && atMs <= latestMs ? atMs : null;
}

function maybeStorable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}
