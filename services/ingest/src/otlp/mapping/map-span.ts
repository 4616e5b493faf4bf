import type { SpanKind } from "@touchstone/contracts";
import { limits } from "@touchstone/contracts/limits";
import type { ShapedContent } from "../../messages/show-content.ts";
import { type TreeFacts, toPromptUse } from "../../model/own-facts.ts";
import type { IncomingSpan, JsonText } from "../../model/span.ts";
import type { ReceivedResource, ReceivedScope, ReceivedSpan } from "../wire/received-span.ts";
import { cleanText } from "./clean-text.ts";
import { readDocuments } from "./documents.ts";
import { readFramework } from "./framework.ts";
import { isSecondView, mapSpanKind } from "./map-span-kind.ts";
import { lookUp, readText } from "./read-source.ts";
import { shapeInput, shapeOutput } from "./shape-content.ts";
import { modelSources, type Source, sessionSources } from "./sources.ts";
import { readError } from "./span-error.ts";
import { SpanFacts } from "./span-facts.ts";
import { readMetadata, type SpanMetadata } from "./span-metadata.ts";
import { readNames, readToolName, type SpanNames } from "./span-name.ts";
import { readTokens, type TokenCounts } from "./tokens.ts";

/** `flags` bits: whether the parent is remote is known, and it is remote. */
const parentIsRemoteFlags = 0x300;

const noTokens: TokenCounts = { input: null, output: null, cacheRead: null, cacheWrite: null, reasoning: null };

/**
 * Maps a valid, repaired span to the form of the store: its OWN values only (otlp 5). Values that come from the trace
 * (roll-ups, borrowed input and output, an inherited session) need many rows and are computed elsewhere, from this
 * span's fields, `tree` and `metadata.otel` (agentName, responseId, toolCallId, messages).
 */
export function mapSpan(
  span: ReceivedSpan,
  scope: ReceivedScope,
  resource: ReceivedResource,
  { truncated }: { truncated: boolean },
): IncomingSpan {
  const parentSpanId = isDeclaredRoot(span) || span.parentSpanId === "" ? null : span.parentSpanId;
  const parentIsRemote = parentSpanId !== null && (span.flags & parentIsRemoteFlags) === parentIsRemoteFlags;
  const facts = new SpanFacts(span, scope, resource, parentSpanId === null || parentIsRemote);

  const kind = mapSpanKind(facts);
  const names = readNames(facts, kind);
  const model = readIndexed(facts, modelSources);
  const tokens = isSecondView(facts) ? noTokens : readTokens(facts);
  const error = readError(facts);
  const times = readTimes(span);
  const { input, output } = readSides(facts, kind);
  const toolName = kind === "tool" ? readToolName(facts) : null;
  const toolCalls = toolName === null ? null : toolCallText(toolName, input, output, error, times.latencyMs);
  const framework = readFramework(facts);
  const sessionId = readIndexed(facts, sessionSources);
  const trafficSource = readTrafficSource(facts);
  const metadata = readMetadata(facts, {
    parentSpanId: span.parentSpanId === "" ? null : span.parentSpanId,
    statedAgent: names.statedAgent,
    reasoningTokens: tokens.reasoning,
    inputMessages: input.messages,
    outputMessages: output.messages,
    truncated: truncated || span.depthTruncated,
  });

  return {
    producer: "otlp",
    otelTraceId: span.traceId,
    spanId: span.spanId,
    parentSpanId,
    parentIsRemote,
    name: facts.isRoot ? names.rootName : names.childName,
    agentName: names.statedAgent ?? (facts.isRoot ? names.fallbackAgent : null),
    kind,
    timestampMs: null,
    ...times,
    sessionId,
    framework,
    model,
    error: error === null ? null : cleanText(error),
    trafficSource,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    input: input.json,
    output: output.json,
    toolCalls,
    metadata: metadata.text,
    performanceSummary: null,
    tree: describeForTree({ parentIsRemote, kind, framework, names, metadata, toolName, output, tokens }),
  };
}

/** Absent values are left out: this is stored with every row. */
function describeForTree(read: {
  parentIsRemote: boolean;
  kind: SpanKind;
  framework: string | null;
  names: SpanNames;
  metadata: SpanMetadata;
  toolName: string | null;
  output: ShapedContent;
  tokens: TokenCounts;
}): TreeFacts {
  const { parentIsRemote, kind, framework, names, metadata, toolName, output, tokens } = read;
  const tree: TreeFacts = {};
  if (parentIsRemote && names.rootName !== names.childName) tree.asChild = names.childName;
  if (names.statedAgent !== null) tree.agent = names.statedAgent;
  if (toolName !== null) tree.toolName = toolName;
  if (metadata.toolCallId !== null) tree.toolCallId = metadata.toolCallId;
  if (metadata.responseId !== null) {
    tree.responseId = cleanText(metadata.responseId, limits.indexedTextMaxChars);
  }
  if (tokens.reasoning !== null) tree.reasoningTokens = tokens.reasoning;
  if (metadata.userId !== null) tree.userId = metadata.userId;
  if (metadata.environment !== null) tree.environment = metadata.environment;
  if (metadata.tags !== null) tree.tags = metadata.tags;
  const prompt = toPromptUse(metadata.promptName, metadata.promptVersion);
  if (prompt !== null) tree.prompt = prompt;
  if (kind === "llm" && output.json?.includes('"tool_calls":')) tree.callsTools = true;
  if (kind === "agent" && framework === "strands" && tokens.input !== null) tree.countsLifetime = true;
  return tree;
}

/** Langfuse marks the top span as a root, even below an HTTP span; its writers spell true both ways. */
function isDeclaredRoot(span: ReceivedSpan): boolean {
  return String(span.attributes.get("langfuse.internal.as_root")).toLowerCase() === "true";
}

/** The store keeps microseconds, so times are cut to them; latency is exact before it is rounded. */
function readTimes(span: ReceivedSpan): Pick<IncomingSpan, "startedAtMs" | "endedAtMs" | "latencyMs"> {
  const { startNano, endNano } = span;
  return {
    startedAtMs: startNano === 0n ? null : Number(startNano / 1000n) / 1000,
    endedAtMs: endNano === 0n ? null : Number(endNano / 1000n) / 1000,
    latencyMs: startNano === 0n || endNano === 0n ? null : Math.round(Number(endNano - startNano) / 1000) / 1000,
  };
}

/** Text for an indexed column, cut to the limit of the index. */
function readIndexed(facts: SpanFacts, sources: readonly Source[]): string | null {
  const text = readText(facts, sources, limits.indexedTextMaxChars);
  return text === null ? null : cleanText(text, limits.indexedTextMaxChars);
}

function readSides(facts: SpanFacts, kind: SpanKind): { input: ShapedContent; output: ShapedContent } {
  const input = shapeInput(facts, kind);
  if (kind !== "retrieval" && kind !== "reranker") return { input, output: shapeOutput(facts, kind) };
  const documents = readDocuments(facts);
  const output = documents === null ? shapeOutput(facts, kind) : { json: JSON.stringify(documents), messages: null };
  return { input, output };
}

/** A tool's row carries one call: its own. */
function toolCallText(
  name: string,
  input: ShapedContent,
  output: ShapedContent,
  error: string | null,
  latencyMs: number | null,
): JsonText {
  const members = [`"name":${JSON.stringify(name)}`];
  if (input.json !== null) members.push(`"input":${input.json}`);
  if (output.json !== null) members.push(`"output":${output.json}`);
  members.push(`"success":${error === null}`);
  if (latencyMs !== null) members.push(`"latencyMs":${latencyMs}`);
  if (error !== null) members.push(`"error":${JSON.stringify(error)}`);
  return `[{${members.join(",")}}]`;
}

/** Langfuse names the experiment, or its item, on every span of a trace that belongs to one. */
const experimentMarks = ["langfuse.experiment.id", "langfuse.experiment.name", "langfuse.experiment.item.id"];

function readTrafficSource(facts: SpanFacts): "eval-run" | null {
  const sources: Source[] = ["touchstone.source", { resource: "touchstone.source" }];
  if (sources.some((source) => lookUp(facts, source) === "eval-run")) {
    facts.consume("touchstone.source");
    return "eval-run";
  }
  const isExperiment = experimentMarks.some((name) => facts.value(name) !== undefined);
  const isEvaluation = facts.text("lmnr.association.properties.trace_type") === "EVALUATION";
  return isExperiment || isEvaluation ? "eval-run" : null;
}
