import { isStorable, limits } from "@touchstone/contracts";
import { AppError, type JsonSlice, type JsonType, parseIsoTime, scanMembers } from "@touchstone/service-kit";
import type { IncomingSpan } from "../model/span.ts";
import { guessSpanKind, normaliseSpanKind } from "../model/span-kind.ts";
import { readToolCalls } from "../model/tool-calls.ts";

/** The members of a request body, as sent. */
export type Members = ReadonlyMap<string, JsonSlice>;

/** A valid body of `POST /ingest/traces`: its span, and its options. */
export interface SubmittedTrace {
  span: IncomingSpan;
  /** Id or name of the agent to use instead of `name`'s. */
  agent: string | null;
  monitor: boolean | null;
  patternIds: string[] | null;
}

/** The last year with four digits; the 48 bits of an id reach slightly further. */
const instantMaxMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const patternIdsMax = 1_000;
const storableText = "String must not contain NUL or an unpaired surrogate";

/**
 * Reads the body of `POST /ingest/traces` (interface: POST ingest/traces; completions 2.1), member by member. Any-JSON
 * values keep their text. Throws `trace_invalid` with all problems at once, by snake_case name.
 */
export function readSubmittedTrace(type: JsonType, members: Members | null): SubmittedTrace {
  if (members === null) throw invalid({}, [`Expected object, received ${type}`]);
  const read = createFieldReader(members);

  const name = read.text("name", { required: true, storable: true, charsMax: limits.traceNameMaxChars }) ?? "";
  const model = absentWhenEmpty(read.identifier("model"));
  const spanId = absentWhenEmpty(read.identifier("span_id"));
  const parentSpanId = absentWhenEmpty(read.identifier("parent_span_id"));
  const metadata = read.json("metadata", "object");
  const { toolCalls, problems } = readToolCalls(read.json("tool_calls", "array")?.text ?? null);
  read.blame("tool_calls", problems);
  const statedKind = normaliseSpanKind(read.text("span_kind") ?? "") ?? kindOfMetadata(metadata);
  const startedAtMs = readStart(read.slice("started_at_unix_nano")) ?? readInstant(read.slice("started_at"));

  const submitted: SubmittedTrace = {
    span: {
      producer: "rest",
      otelTraceId: null,
      spanId,
      // A span that names itself as its parent has no parent.
      parentSpanId: parentSpanId === spanId ? null : parentSpanId,
      parentIsRemote: false,
      name,
      agentName: null,
      kind: statedKind ?? guessSpanKind({ name, model, hasToolCalls: toolCalls !== null && toolCalls !== "[]" }),
      timestampMs: readTimestamp(read),
      startedAtMs,
      endedAtMs: null,
      latencyMs: read.number("latency_ms"),
      sessionId: absentWhenEmpty(read.identifier("session_id")),
      framework: normaliseFramework(read.text("framework", { storable: true })),
      model,
      error: read.text("error"),
      trafficSource: read.text("source") === "eval-run" ? "eval-run" : null,
      inputTokens: read.tokens("input_tokens"),
      outputTokens: read.tokens("output_tokens"),
      cacheReadTokens: read.tokens("cache_read_tokens"),
      cacheWriteTokens: read.tokens("cache_write_tokens"),
      input: read.json("input")?.text ?? null,
      output: read.json("output")?.text ?? null,
      toolCalls,
      metadata: metadata?.text ?? null,
      performanceSummary: read.json("performance_summary", "object")?.text ?? null,
    },
    agent: absentWhenEmpty(read.text("agent_id", { storable: true, charsMax: limits.traceNameMaxChars })),
    monitor: read.flag("monitor"),
    patternIds: read.texts("pattern_ids", { itemsMax: patternIdsMax, charsMax: limits.indexedTextMaxChars }),
  };
  const fieldErrors = read.problems();
  if (Object.keys(fieldErrors).length > 0) throw invalid(fieldErrors, []);
  return submitted;
}

/** The stored form of a platform label: trimmed, lowercased, cut; empty is absent (completions 1.2). */
export function normaliseFramework(framework: string | null): string | null {
  const label = framework?.trim().toLowerCase().slice(0, limits.frameworkMaxChars).toWellFormed();
  return label?.replaceAll("\0", "\ufffd") || null;
}

function invalid(fieldErrors: Record<string, string[]>, formErrors: string[]): AppError {
  return new AppError("trace_invalid", "Invalid trace payload", { details: { fieldErrors, formErrors } });
}

function absentWhenEmpty(text: string | null): string | null {
  return text === "" ? null : text;
}

function kindOfMetadata(metadata: JsonSlice | null): IncomingSpan["kind"] | null {
  const kind = metadata === null ? undefined : scanMembers(metadata.text).members?.get("kind");
  return kind?.type === "string" ? normaliseSpanKind(JSON.parse(kind.text) as string) : null;
}

function readTimestamp(read: FieldReader): number | null {
  const text = read.text("timestamp");
  if (text === null) return null;
  const atMs = parseIsoTime(text);
  if (atMs === null) read.blame("timestamp", ["Invalid datetime"]);
  else if (atMs < 0 || atMs > instantMaxMs) read.blame("timestamp", ["Datetime must be between 1970 and 9999"]);
  return atMs;
}

/** An invalid start is ignored and never rejects the trace (completions 2.1). */
function readInstant(slice: JsonSlice | null): number | null {
  const atMs = slice?.type === "string" ? parseIsoTime(JSON.parse(slice.text) as string) : null;
  return atMs !== null && atMs >= 0 && atMs <= instantMaxMs ? atMs : null;
}

/** Decimal digits, as a string or a number literal: a JavaScript number could not represent them. */
function readStart(slice: JsonSlice | null): number | null {
  const digits = /^"?(\d{1,20})"?$/.exec(slice?.text ?? "")?.[1];
  if (digits === undefined) return null;
  const nanos = BigInt(digits);
  return Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1_000_000;
}

interface TextRule {
  required?: boolean;
  /** For a column: PostgreSQL's text accepts neither NUL nor a lone surrogate. */
  storable?: boolean;
  charsMax?: number;
}

interface FieldReader {
  /** As sent: under its snake_case name, else under its camelCase one. */
  slice(name: string): JsonSlice | null;
  text(name: string, rule?: TextRule): string | null;
  /** An indexed text. */
  identifier(name: string): string | null;
  number(name: string): number | null;
  /** A count above zero. */
  tokens(name: string): number | null;
  flag(name: string): boolean | null;
  texts(name: string, bounds: { itemsMax: number; charsMax: number }): string[] | null;
  json(name: string, type?: JsonType): JsonSlice | null;
  blame(name: string, problems: readonly string[]): void;
  problems(): Record<string, string[]>;
}

function createFieldReader(members: Members): FieldReader {
  const problems: Record<string, string[]> = {};
  const blame = (name: string, found: readonly string[]): void => {
    if (found.length > 0) problems[name] = [...(problems[name] ?? []), ...found];
  };

  function slice(name: string): JsonSlice | null {
    return members.get(name) ?? members.get(toCamelCase(name)) ?? null;
  }

  function typed(name: string, type: JsonType): JsonSlice | null {
    const found = slice(name);
    if (found === null || found.type === type) return found;
    blame(name, [`Expected ${type}, received ${found.type}`]);
    return null;
  }

  function text(name: string, { required, storable, charsMax }: TextRule = {}): string | null {
    if (required && slice(name) === null) {
      blame(name, ["Required"]);
      return null;
    }
    const found = typed(name, "string");
    if (found === null) return null;
    const value = JSON.parse(found.text) as string;
    if (required && value === "") blame(name, ["String must contain at least 1 character(s)"]);
    if (charsMax !== undefined && value.length > charsMax) {
      blame(name, [`String must contain at most ${charsMax} character(s)`]);
    }
    if (storable && !isStorable(value)) blame(name, [storableText]);
    return value;
  }

  function number(name: string): number | null {
    const found = typed(name, "number");
    if (found === null) return null;
    const value = JSON.parse(found.text) as number;
    if (!Number.isFinite(value)) blame(name, ["Number must be finite"]);
    return value;
  }

  return {
    slice,
    text,
    number,
    identifier: (name) => text(name, { storable: true, charsMax: limits.indexedTextMaxChars }),
    tokens(name) {
      const count = number(name);
      return count !== null && count > 0 ? count : null;
    },
    flag(name) {
      const found = typed(name, "boolean");
      return found === null ? null : found.text === "true";
    },
    texts(name, { itemsMax, charsMax }) {
      const found = typed(name, "array");
      if (found === null) return null;
      const items = JSON.parse(found.text) as unknown[];
      const stray = items.find((item) => typeof item !== "string");
      if (stray !== undefined) blame(name, [`Expected string, received ${typeOf(stray)}`]);
      if (items.length > itemsMax) blame(name, [`Array must contain at most ${itemsMax} element(s)`]);
      const isLong = items.some((item) => typeof item === "string" && item.length > charsMax);
      if (isLong) blame(name, [`String must contain at most ${charsMax} character(s)`]);
      return items as string[];
    },
    json(name, type) {
      const found = type === undefined ? slice(name) : typed(name, type);
      // The elements of tool calls are any JSON, two levels deeper; they are measured one by one.
      const depthMax = limits.jsonDepthMax + (name === "tool_calls" ? 2 : 0);
      if (found !== null && found.depth > depthMax) blame(name, [`Nesting must not be deeper than ${depthMax} levels`]);
      return found;
    },
    blame,
    problems: () => problems,
  };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const camelCaseNames = new Map<string, string>();

/** Called for two dozen fixed names on every trace, hence cached. */
function toCamelCase(name: string): string {
  let camelCase = camelCaseNames.get(name);
  if (camelCase === undefined) {
    camelCase = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    camelCaseNames.set(name, camelCase);
  }
  return camelCase;
}
