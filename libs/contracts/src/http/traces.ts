import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { pageEnd } from "./list-page.ts";
import { shownScores } from "./scores.ts";

/** interface: Trace, `spanKind`. */
export const spanKind = z.enum([
  "agent",
  "llm",
  "tool",
  "retrieval",
  "chain",
  "embedding",
  "reranker",
  "guardrail",
  "evaluator",
  "prompt",
  "memory",
]);

export type SpanKind = z.infer<typeof spanKind>;

const anyJson = z.json();

/** One tool call of a submitted trace; unknown keys are kept. */
const submittedToolCall = z.looseObject({
  name: z.string().optional(),
  input: anyJson.optional(),
  output: anyJson.optional(),
  latency_ms: z.number().optional(),
  success: z.boolean().optional(),
  error: z.string().optional(),
});

/**
 * Body of `POST /ingest/traces` (interface: POST ingest/traces; completions 2.1), by its snake_case names. Every field
 * is also read under its camelCase name; when both are present the snake_case one wins. Any-JSON members are stored as
 * the text they came in, so this schema describes the body and ingest checks it member by member.
 */
export const submittedTrace = z.object({
  name: z.string().min(1).max(limits.traceNameMaxChars),
  input: anyJson.optional(),
  output: anyJson.optional(),
  latency_ms: z.number().optional(),
  error: z.string().optional(),
  framework: z.string().optional(),
  model: z.string().optional(),
  tool_calls: z.array(submittedToolCall).optional(),
  session_id: z.string().optional(),
  metadata: z.record(z.string(), anyJson).optional(),
  workspaceId: submittedWorkspaceId.optional(),
  timestamp: z.string().optional().describe("ISO 8601; becomes createdAt (backfill)"),
  performance_summary: z.record(z.string(), anyJson).optional(),
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cache_read_tokens: z.number().optional(),
  cache_write_tokens: z.number().optional(),
  monitor: z.boolean().optional(),
  pattern_ids: z.array(z.string()).optional(),
  spanId: z.string().optional(),
  parent_span_id: z.string().optional(),
  started_at: z.string().optional().describe("ISO 8601"),
  started_at_unix_nano: z.string().optional(),
  span_kind: z.string().optional(),
  source: z.string().optional(),
  agent_id: z.string().optional(),
});

/** 201 of `POST /ingest/traces`, a replay included (completions 2.2). */
export const submitTraceReply = z.object({
  trace_id: z.string(),
  traceId: z.string(),
  reference_agent_id: z.string().nullable(),
  queued: z.literal(false).describe("Kept for old clients; ingest is synchronous."),
  deduped: z.boolean(),
});

/** interface: Trace, `judgeScores`; completions 2.3. */
export const judgeScores = z.object({
  rating: z.number(),
  threshold: z.number().nullable(),
  scorerName: z.string(),
  judgeCount: z.number().int(),
  failingCount: z.number().int(),
  verdicts: z.array(
    z.object({
      scorerName: z.string(),
      rating: z.number(),
      threshold: z.number().nullable(),
      failing: z.boolean(),
      isGroup: z.literal(true).optional(),
    }),
  ),
});
export type JudgeScores = z.infer<typeof judgeScores>;

/** The topic of a trace (completions 2.4). */
export const traceTopic = z.object({
  intent: z.string(),
  sentiment: z.enum(["positive", "neutral", "negative"]),
  issueType: z.enum(["none", "refusal", "hallucination", "off_topic", "incomplete", "other"]),
});
export type TraceTopic = z.infer<typeof traceTopic>;

const traceMembers = z.object({
  _id: z.string(),
  name: z.string(),
  input: anyJson.optional(),
  output: anyJson.optional(),
  latencyMs: z.number().optional(),
  error: z.string().optional(),
  framework: z.string().optional(),
  model: z.string().optional(),
  toolCalls: z.array(anyJson).optional(),
  sessionId: z.string().optional(),
  spanId: z.string().optional(),
  spanKind,
  judgeScores: judgeScores.nullable(),
  parentSpanId: z.string().optional(),
  startedAt: z.string().optional(),
  trafficSource: z.literal("eval-run").optional(),
  source: z.literal("sdk"),
  createdAt: z.string(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
});

/**
 * interface: Trace (list item). Absent fields are omitted, except those that are always present and nullable. In the
 * preview `input`, `output` and `error` are texts of at most 300 characters, there are no tool calls, and the last
 * three are present.
 */
export const traceListItem = traceMembers.extend({
  agentId: z.string().nullable().optional().describe("In the preview"),
  costUSD: z
    .number()
    .nullable()
    .optional()
    .describe("In the preview: as the detail's estimate; null where it is not known, and of a very large trace"),
  spanCount: z
    .int()
    .nullable()
    .optional()
    .describe("In the preview: spans of an OpenTelemetry trace; null of one whose spans are sent one by one"),
});

/** interface: Trace (detail). */
export const traceDetail = traceMembers.extend({
  metadata: anyJson.optional(),
  performanceSummary: anyJson.optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  estimatedCostUSD: z.number().nullable(),
  topic: traceTopic.optional(),
  agentId: z.string().nullable(),
  scores: shownScores,
});

/**
 * `GET /ingest/traces/{traceId}/outline`: every span of a trace without its texts, the requested one first, then by
 * start. For a child it covers the spans below it, for an OpenTelemetry span its whole trace. Unknown fields of a span,
 * from its model on, are omitted: for 10,000 spans that is a quarter of the answer.
 */
export const traceOutline = z.object({
  spanCount: z.int().describe("Of `spans`"),
  truncated: z.boolean().describe("There are more: those that start last, or are over 100 levels below, are left out"),
  spans: z.array(
    z.object({
      _id: z.string(),
      spanId: z.string().nullable(),
      parentSpanId: z.string().nullable(),
      name: z.string(),
      spanKind,
      offsetMs: z.number().describe("Start after that of the asked span; below 0 where clocks disagree"),
      latencyMs: z.number().nullable(),
      hasError: z.boolean(),
      model: z.string().optional(),
      inputTokens: z.number().optional().describe("With those of the spans below"),
      outputTokens: z.number().optional(),
      costUSD: z.number().optional().describe("Of the span's own tokens at its own model's price"),
      rating: z.number().optional(),
    }),
  ),
});
export type TraceOutline = z.infer<typeof traceOutline>;

/** Query of `GET /ingest/traces` (interface: GET ingest/traces). `limit` is clamped, never refused (completions 2.3). */
export const listTracesQuery = z.object({
  limit: z.string().optional().describe("1 to 100, default 50"),
  cursor: z.string().optional(),
  framework: z.string().optional(),
  source: z.string().optional().describe("production, eval or all (the default)"),
  search: z
    .string()
    .optional()
    .describe("Text that name, input, output, error, model, session id or trace id contain, in any case"),
  agentId: z.string().optional(),
  sessionId: z.string().optional(),
  model: z.string().optional(),
  from: z.string().optional().describe("ISO 8601; createdAt, inclusive"),
  to: z.string().optional().describe("ISO 8601; createdAt, exclusive"),
  hasError: z.string().optional().describe("true or false"),
  latencyMinMs: z.string().optional().describe("Milliseconds, inclusive"),
  ratingMin: z.string().optional().describe("0 to 10, inclusive; of the headline of live judging"),
  ratingMax: z.string().optional().describe("0 to 10, inclusive"),
  failing: z
    .string()
    .optional()
    .describe(
      "true: ended in an error, a tool of it failed, its answer is empty, or a live judge rates it below its threshold; false: none of these. Where live checks do not apply, only errors count",
    ),
  toolFailing: z
    .string()
    .optional()
    .describe("true: a tool of it failed, as found when it settled, in monitored traffic only; false: none did"),
  hasModel: z.string().optional().describe("true: the trace shows a model; false: it shows none"),
  usedModel: z
    .string()
    .optional()
    .describe("A span of the trace names this model itself and used tokens, from `from` on and before `to`"),
  promptName: z.string().optional().describe("A span of the trace states this prompt"),
  promptVersion: z.string().optional().describe("With promptName: it states this version of it"),
  view: z.string().optional().describe("preview: short texts instead of whole ones, with cost, agent and span count"),
});

/**
 * Query of `DELETE /ingest/traces`: at least one; a trace must match them all. Roots are compared, as they are
 * displayed.
 */
export const deleteTracesQuery = z.object({
  agentId: z.string().optional(),
  sessionId: z.string().optional(),
  framework: z.string().optional(),
  model: z.string().optional(),
  source: z.string().optional().describe("production or eval"),
  from: z.string().optional().describe("ISO 8601; createdAt, inclusive"),
  to: z.string().optional().describe("ISO 8601; createdAt, exclusive"),
});

/** The result of a deletion. `complete` is false when it ran out of time: send it again for the rest. */
export const deletedTraces = z.object({
  deletedTraces: z.number().int(),
  deletedSpans: z.number().int(),
  complete: z.boolean(),
});

/** Query of `GET /ingest/traces/stream`: the filters of the list, applied to a trace when it is stored. */
export const streamTracesQuery = listTracesQuery.omit({ limit: true, cursor: true });

/** Query of `GET /ingest/traces/histogram`: the filters of the list. */
export const traceHistogramQuery = listTracesQuery.omit({ limit: true, cursor: true, view: true });

/** Root traces by `createdAt`, as the list with the same filters counts them. */
export const traceHistogram = z.object({
  from: z.string().describe("As asked; else when the project's oldest trace was created"),
  to: z.string().describe("Exclusive; as asked, else now"),
  bucketMs: z.int().describe("A round width: seconds to days, weeks that begin on Mondays in UTC"),
  buckets: z
    .array(z.object({ start: z.string(), count: z.int(), errors: z.int().describe("Of these, ended in an error") }))
    .describe("About 60 at most, oldest first, also those without a trace; the first may begin before `from`"),
});

export const traceList = z.object({
  totalCount: z.number().int(),
  traces: z.array(traceListItem),
  ...pageEnd,
});

export const traceParams = z.object({ traceId: z.string() });

export const sessionParams = z.object({ sessionId: z.string() });

/** Every span of one session, by span start (interface: GET ingest/sessions/{sessionId}/spans; completions 2.7). */
export const sessionSpans = z.object({
  spans: z.array(traceDetail.omit({ estimatedCostUSD: true, topic: true, judgeScores: true, scores: true })),
  scores: shownScores.describe("Those that name the session"),
});
