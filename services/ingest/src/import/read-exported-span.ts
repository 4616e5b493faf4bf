import { isStorable, isUuid, limits } from "@touchstone/contracts";
import {
  type JsonSlice,
  type JsonType,
  parseIsoTime,
  type Sliced,
  scanMembersInSlices,
  uuidv7TimeMs,
  walkElements,
} from "@touchstone/service-kit";
import { toPromptUse } from "../model/own-facts.ts";
import type { IncomingSpan, JsonText } from "../model/span.ts";
import { guessSpanKind, normaliseSpanKind } from "../model/span-kind.ts";
import { cleanText } from "../otlp/mapping/clean-text.ts";

/** The members of a line, unparsed. */
export type LineMembers = ReadonlyMap<string, JsonSlice>;

/** The line is not a trace. The message is a sentence for the sender. */
export class LineFault extends Error {
  override readonly name = "LineFault";
}

/** OTLP wraps the deepest value in some more levels, and an import accepts every export. */
const depthMax = 2 * limits.jsonDepthMax;
const otelTraceIdText = /^[0-9a-f]{32}$/;
const otelSpanIdText = /^[0-9a-f]{16}$/;
const instantMaxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Reads a line of `GET /export/traces` as a span, or throws {@link LineFault}. The values on the line become the span's
 * own, including rolled-up tokens, borrowed content and a shared session. Members it does not need may be missing. `id`
 * must be of the instant `createdAt`.
 */
export function* readExportedSpan(members: LineMembers, nowMs: number): Sliced<IncomingSpan> {
  const read = createLineReader(members);
  const name = read.text("name", limits.traceNameMaxChars);
  if (name === null || name === "") throw new LineFault("name is missing");
  const { id, createdAtMs } = readIdentity(read, nowMs);
  const spanId = read.text("spanId", limits.indexedTextMaxChars);
  const parentSpanId = read.text("parentSpanId", limits.indexedTextMaxChars);
  const metadata = read.json("metadata", "object");
  const known = yield* readMetadata(metadata);
  const otelTraceId = readOtelTraceId(read, spanId, known);
  const prompt = toPromptUse(metadataText(known, "promptName"), metadataText(known, "promptVersion"));
  const model = read.text("model", limits.indexedTextMaxChars);
  const sessionId = read.text("sessionId", limits.indexedTextMaxChars);
  const { toolCalls, first } = yield* readToolCalls(read);
  const isRoot = read.flag("isRoot") ?? parentSpanId === null;
  const agentName = isRoot ? read.text("agentName", limits.traceNameMaxChars) : null;
  const kind =
    normaliseSpanKind(read.text("spanKind") ?? "") ??
    guessSpanKind({ name, model, hasToolCalls: toolCalls !== null && toolCalls !== "[]" });
  return {
    ...(id !== null && { id }),
    producer: otelTraceId === null ? "rest" : "otlp",
    otelTraceId,
    spanId,
    parentSpanId,
    // The parent of this root never arrived. It may still arrive, but need not be waited for again.
    parentIsRemote: isRoot && parentSpanId !== null,
    name,
    agentName,
    kind,
    timestampMs: createdAtMs,
    startedAtMs: readNanos(read, "startedAtUnixNano") ?? readInstant(read, "startedAt"),
    endedAtMs: readNanos(read, "endedAtUnixNano"),
    latencyMs: read.number("latencyMs"),
    // Shown as a fallback: the span stated no session.
    sessionId: sessionId === otelTraceId ? null : sessionId,
    framework: read.text("framework", limits.frameworkMaxChars),
    model,
    error: read.text("error", null),
    trafficSource: read.text("source") === "eval-run" ? "eval-run" : null,
    inputTokens: read.number("inputTokens"),
    outputTokens: read.number("outputTokens"),
    cacheReadTokens: read.number("cacheReadTokens"),
    cacheWriteTokens: read.number("cacheWriteTokens"),
    input: read.json("input"),
    output: read.json("output"),
    toolCalls,
    metadata,
    performanceSummary: read.json("performanceSummary", "object"),
    ...(otelTraceId !== null && {
      // Two views of one call state the same ids or the same tool, and count once.
      tree: {
        ...otelText(known, "responseId"),
        ...otelText(known, "toolCallId"),
        ...(kind === "tool" && first !== null && (yield* readToolName(first))),
        ...(agentName !== null && { agent: agentName }),
        ...(prompt !== null && { prompt }),
      },
    }),
  };
}

function readIdentity(read: LineReader, nowMs: number): { id: string | null; createdAtMs: number | null } {
  const id = read.text("id");
  const statedMs = readInstant(read, "createdAt");
  if (statedMs !== null && statedMs > nowMs + limits.timestampAheadMaxMs) {
    throw new LineFault("createdAt lies in the future");
  }
  if (id === null) return { id, createdAtMs: statedMs };
  if (!isUuid(id) || id[14] !== "7") throw new LineFault("id must be a UUID of version 7");
  const idMs = uuidv7TimeMs(id);
  if (Math.trunc(statedMs ?? idMs) !== idMs) throw new LineFault("id is not of the time createdAt");
  if (idMs > nowMs + limits.timestampAheadMaxMs) throw new LineFault("id lies in the future");
  return { id, createdAtMs: idMs };
}

/** The members of the metadata that the span needs, and of its `otel`. */
interface Metadata {
  own: LineMembers | null;
  otel: LineMembers | null;
}

/** Reads them once: metadata may be most of a long line. */
function* readMetadata(metadata: JsonText | null): Sliced<Metadata> {
  if (metadata === null) return { own: null, otel: null };
  const { members: own } = yield* scanMembersInSlices(metadata);
  const otel = own?.get("otel");
  return { own, otel: otel === undefined ? null : (yield* scanMembersInSlices(otel.text)).members };
}

/** Exports of other systems have it only in the metadata. */
function readOtelTraceId(read: LineReader, spanId: string | null, metadata: Metadata): string | null {
  if (spanId === null || !otelSpanIdText.test(spanId)) return null;
  const stated = read.has("otelTraceId") ? read.text("otelTraceId") : traceIdOf(metadata, spanId);
  if (stated !== null && !otelTraceIdText.test(stated)) throw new LineFault("otelTraceId must be 32 hex characters");
  return stated;
}

function traceIdOf(metadata: Metadata, spanId: string): string | null {
  if (otelText(metadata, "spanId").spanId !== spanId) return null;
  return otelText(metadata, "traceId").traceId ?? null;
}

/** A text in `metadata.otel`; empty if it has none of that name. */
function otelText<Name extends string>({ otel }: Metadata, name: Name): { [Key in Name]?: string } {
  const found = otel?.get(name);
  return found?.type === "string" ? ({ [name]: JSON.parse(found.text) } as { [Key in Name]?: string }) : {};
}

/** A text or a number of the metadata; null if it has none of that name. */
function metadataText({ own }: Metadata, name: string): string | null {
  const found = own?.get(name);
  if (found?.type === "number") return found.text;
  return found?.type === "string" ? (JSON.parse(found.text) as string) : null;
}

/** In stored form, so that each call keeps its text; with the first call. */
function* readToolCalls(read: LineReader): Sliced<{ toolCalls: JsonText | null; first: JsonText | null }> {
  const toolCalls = read.json("toolCalls", "array");
  let first: JsonText | null = null;
  for (const call of walkElements(toolCalls ?? "[]")) {
    if (call === undefined) yield;
    else if (call.type !== "object") throw new LineFault(`toolCalls must hold objects, not ${call.type}`);
    else first ??= call.text;
  }
  return { toolCalls, first };
}

/** The name in the one call of a tool's row; empty if it has none. */
function* readToolName(call: JsonText): Sliced<{ toolName?: string }> {
  const name = (yield* scanMembersInSlices(call)).members?.get("name");
  if (name?.type !== "string") return {};
  return { toolName: cleanText(JSON.parse(name.text) as string, limits.traceNameMaxChars) };
}

function readInstant(read: LineReader, name: string): number | null {
  const text = read.text(name);
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null || atMs < 0 || atMs > instantMaxMs) throw new LineFault(`${name} must be an ISO 8601 time`);
  return atMs;
}

function readNanos(read: LineReader, name: string): number | null {
  const text = read.text(name);
  if (text === null) return null;
  if (!/^\d{1,20}$/.test(text)) throw new LineFault(`${name} must be decimal digits`);
  // The store keeps microseconds, and a double represents those exactly enough.
  return Number(BigInt(text) / 1000n) / 1000;
}

interface LineReader {
  has(name: string): boolean;
  /** Null if absent or null. `charsMax` null: any length and any character. */
  text(name: string, charsMax?: number | null): string | null;
  number(name: string): number | null;
  flag(name: string): boolean | null;
  json(name: string, type?: JsonType): JsonText | null;
}

function createLineReader(members: LineMembers): LineReader {
  function typed(name: string, type: JsonType): JsonSlice | null {
    const found = members.get(name);
    if (found === undefined || found.type === "null") return null;
    if (found.type !== type) throw new LineFault(`${name} must be of type ${type}, not ${found.type}`);
    return found;
  }
  return {
    has: (name) => members.has(name),
    text(name, charsMax = limits.indexedTextMaxChars) {
      const found = typed(name, "string");
      if (found === null) return null;
      const value = JSON.parse(found.text) as string;
      if (charsMax === null) return value;
      if (value.length > charsMax) throw new LineFault(`${name} has more than ${charsMax} characters`);
      if (!isStorable(value)) {
        throw new LineFault(`${name} must not contain NUL or an unpaired surrogate`);
      }
      return value;
    },
    number(name) {
      const found = typed(name, "number");
      if (found === null) return null;
      const value = Number(found.text);
      if (!Number.isFinite(value)) throw new LineFault(`${name} must be finite`);
      return value;
    },
    flag(name) {
      const found = typed(name, "boolean");
      return found === null ? null : found.text === "true";
    },
    json(name, type) {
      const found = type === undefined ? members.get(name) : typed(name, type);
      if (found === undefined || found === null) return null;
      if (found.depth > depthMax) throw new LineFault(`${name} nests deeper than ${depthMax} levels`);
      return found.text;
    },
  };
}
