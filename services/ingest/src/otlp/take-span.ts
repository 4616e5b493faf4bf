import { limits } from "@touchstone/contracts/limits";
import type { IncomingSpan } from "../model/span.ts";
import { mapSpan } from "./mapping/map-span.ts";
import { scopeFrameworks } from "./mapping/sources.ts";
import { findFault, repairSpan } from "./validate-span.ts";
import { capAttributes } from "./wire/cap-attributes.ts";
import type { ExportItem } from "./wire/export-item.ts";
import { readSpan, type SpanSource } from "./wire/read-span.ts";
import type { ReceivedScope, ReceivedSpan } from "./wire/received-span.ts";

/** The result of reading one span of an export. */
export interface TakenSpan {
  /** Null if it is not to be stored: it has a fault, or is a placeholder. */
  span: IncomingSpan | null;
  /** The reason of its rejection. `foreign`: it may belong to another signal. */
  fault: { reason: string; foreign: boolean } | null;
  /** The changes to it, in sentences for the sender. */
  warnings: string[];
  name: string;
  /** The number of values counted while reading: all for protobuf; none for JSON, where they were counted before. */
  valuesRead: number;
}

/** Reads, checks, repairs and maps one span (otlp 2, 4, 5). Throws a SyntaxError for invalid JSON. */
export function takeSpan(source: SpanSource, item: ExportItem, nowMs: number): TakenSpan {
  const reading = readSpan(source, item);
  if ("unreadable" in reading) {
    const { unreadable: reason, foreign, name } = reading;
    return { span: null, fault: { reason, foreign }, warnings: [], name, valuesRead: reading.valuesRead };
  }
  const { span } = reading;
  const { name } = span;
  const valuesRead = limits.otlpValuesMax - span.valuesLeft;
  const fault = findFault(span, nowMs);
  if (fault !== null || isPlaceholder(span)) return { span: null, fault, warnings: [], name, valuesRead };
  return { ...takeReceived(span, item, nowMs), fault: null, name, valuesRead };
}

/** Repairs and maps a span without fault. */
export function takeReceived(
  span: ReceivedSpan,
  { scope, resource }: Pick<ExportItem, "scope" | "resource">,
  nowMs: number,
): { span: IncomingSpan; warnings: string[] } {
  const warnings = repairSpan(span, nowMs);
  const truncated = capAttributes(span);
  if (truncated) warnings.push("attributes over 4 MiB were truncated");
  return { span: mapSpan(span, scope, resource, { truncated }), warnings };
}

/** The trace id of a span with GenAI content, or null; see {@link takeSpan}. */
export function findGenAiTrace(source: SpanSource, item: ExportItem): string | null {
  const reading = readSpan(source, item);
  return "span" in reading && hasGenAiSignal(reading.span, item.scope) ? reading.span.traceId : null;
}

/**
 * Logfire announces a running span with an empty one under another id; storing it would leave a trace that never ends.
 */
function isPlaceholder(span: ReceivedSpan): boolean {
  return span.attributes.get("logfire.span_type") === "pending_span";
}

/** Attribute prefixes of all conventions of otlp 5. */
const signalPrefix =
  /^(?:gen_ai|llm|ai|langfuse|openinference|langsmith|traceloop|lmnr|mastra|mlflow|genkit|pydantic_ai|gcp\.vertex\.agent|lk|embedding|reranker|retrieval|mcp|db\.vector|spring\.ai|touchstone)[.:]/;
const signalNames: ReadonlySet<string> = new Set(["agent_name", "model_name", "tool_arguments", "input.value"]);

/** True if a span is about a model, an agent or a tool, by its scope, attributes or events (otlp 5.6). */
function hasGenAiSignal(span: ReceivedSpan, scope: ReceivedScope): boolean {
  const scopeName = scope.name.trim().toLowerCase();
  if (scopeFrameworks.some(([pattern]) => pattern.test(scopeName))) return true;
  for (const key of span.attributes.keys()) {
    if (signalPrefix.test(key) || signalNames.has(key)) return true;
  }
  return span.events.some(({ name }) => name.startsWith("gen_ai.") || name === "db.query.result");
}
