import { z } from "zod";
import { trajectory } from "../bus/judge.v1.ts";
import { scriptSpan } from "../bus/judge-writing.v1.ts";

/**
 * The part of a recorded trace that is read to judge it. Input and output are texts: a non-string is given as its JSON
 * text (completions 2.8), an absent one as null.
 */
const recordedTrace = z.object({
  traceId: z.string(),
  name: z.string(),
  agentId: z.string().nullable(),
  input: z.string().nullable(),
  output: z.string().nullable(),
  error: z.string().nullable(),
  model: z.string().nullable(),
  latencyMs: z.number().nullable(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
});

/** A recorded trace as judges see it. */
export const judgedTrace = recordedTrace.extend({
  trajectory,
  /** The results of its retrieval spans, one text per document, in order; else `metadata.retrievalContext`. */
  retrieval: z.object({ source: z.enum(["spans", "metadata"]), texts: z.array(z.string()) }).nullable(),
});
export type JudgedTrace = z.infer<typeof judgedTrace>;

/**
 * Body of the internal `readTraceForJudging`. Without content, which may be large, input and output are null. Input, output and
 * error are cut after `contentMaxChars` where it is given.
 */
export const judgedTraceQuery = z.object({
  projectId: z.uuid(),
  traceId: z.string(),
  withContent: z.boolean().default(true),
  contentMaxChars: z.number().int().positive().optional(),
});

/** Its reply; null = no such trace in the project. */
export const judgedTraceReply = z.object({ trace: judgedTrace.nullable() });

/** Body of the internal `readTraceForScripts`. */
export const scriptTraceQuery = z.object({ projectId: z.uuid(), traceId: z.string() });

/**
 * A recorded trace with its spans, itself first, for scorers that are programs (completions 4.5, 6.2). Spans and their
 * contents are bounded: larger ones are null, or truncated to a text.
 */
export const scriptTrace = recordedTrace.extend({
  sessionId: z.string().nullable(),
  metadata: z.json(),
  spans: z.array(scriptSpan),
});
export type ScriptTrace = z.infer<typeof scriptTrace>;

/** Its reply; null = no such trace in the project. */
export const scriptTraceReply = z.object({ trace: scriptTrace.nullable() });

/** Traces that one call of the internal `readTraceOutputs` names. */
export const traceOutputsMax = 100;

/**
 * Body of the internal `readTraceOutputs`: traces by an id of Touchstone or of OpenTelemetry, and the span of each whose output is
 * wanted, by its id in OpenTelemetry; null = the root.
 */
export const traceOutputsQuery = z.object({
  projectId: z.uuid(),
  named: z
    .array(z.object({ traceId: z.string(), spanId: z.string().nullable() }))
    .min(1)
    .max(traceOutputsMax),
});

/** The output of a trace, or of one of its spans. At least one of output and error is set. */
export const traceOutput = recordedTrace
  .pick({ output: true, error: true, latencyMs: true, inputTokens: true, outputTokens: true })
  .extend({ traceId: z.string().describe("Of the root in Touchstone") });
export type TraceOutput = z.infer<typeof traceOutput>;

/**
 * Its reply: an output, or null where it is not there yet, for as many of the names as fit, from the first. At least one.
 */
export const traceOutputsReply = z.object({ outputs: z.array(traceOutput.nullable()) });

/** Body of the internal `readTurns`: exactly one of the two ids. */
export const turnsQuery = z.object({
  projectId: z.uuid(),
  traceId: z.string().optional(),
  sessionId: z.string().optional(),
});

/** One question to an agent and its answer. Texts, as in {@link judgedTrace}. */
export const recordedTurn = z.object({
  query: z.string(),
  actualOutput: z.string().nullable(),
  error: z.string().nullable(),
  traceId: z.string(),
});
export type RecordedTurn = z.infer<typeof recordedTurn>;

/** The turns of a trace or session: its roots in start order, at most 200, without those that have no input. */
export const turnsReply = z.object({ turns: z.array(recordedTurn) });
