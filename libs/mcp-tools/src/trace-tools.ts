import {
  type signalList,
  signalStatus,
  type traceDetail,
  type traceEvaluations,
  type traceList,
} from "@touchstone/contracts";
import { z } from "zod";
import { cut, cutJson, fitRows, pieceOf, recordedMaxChars } from "./answer.ts";
import { readResult } from "./read-result.ts";
import { readSkeleton, type SkeletonLine } from "./skeleton.ts";
import { api, cursor, defineTool, id, offset, queryOf, type Tool } from "./tool.ts";

const tracesPath = `${api}/ingest/traces`;
const traceOf = (traceId: string): string => `${tracesPath}/${encodeURIComponent(traceId)}`;

const searchTraces = defineTool({
  name: "search_traces",
  description: "Find recorded agent runs (traces), newest first.",
  input: z.object({
    search: z.string().max(500).optional().describe("Text in name, input, output, error, model or ids"),
    failing: z
      .boolean()
      .optional()
      .describe("true: an error, a failed tool, an empty answer, or rated below a judge's threshold"),
    hasError: z.boolean().optional(),
    sessionId: id.optional(),
    agentId: id.optional(),
    model: z.string().max(200).optional(),
    ratingMax: z.number().min(0).max(10).optional(),
    from: z.string().max(40).optional().describe("ISO 8601"),
    to: z.string().max(40).optional(),
    limit: z.int().min(1).max(15).default(10),
    cursor,
  }),
  async run(input, ask) {
    const query = queryOf({ ...input, view: "preview" });
    const page = (await ask("GET", tracesPath, query)) as z.infer<typeof traceList>;
    const rows = page.traces.map((trace) => ({
      traceId: trace._id,
      name: cut(trace.name, 100),
      createdAt: trace.createdAt,
      input: cutJson(trace.input, 250),
      output: cutJson(trace.output, 250),
      error: cut(trace.error, 150),
      rating: trace.judgeScores?.rating,
      latencyMs: trace.latencyMs,
      model: cut(trace.model, 60),
      sessionId: cut(trace.sessionId, 80),
      spanCount: trace.spanCount,
    }));
    return { facts: { totalCount: page.totalCount, next: page.nextCursor }, recorded: rows };
  },
});

const getTrace = defineTool({
  name: "get_trace",
  description:
    "Read one trace: its steps as a tree, one per line with the id of the step. With spanId: everything about one step.",
  input: z.object({ traceId: id, spanId: id.optional(), offset }),
  async run({ traceId, spanId, offset: from }, ask) {
    const skeleton = await readSkeleton(traceId, ask);
    if (spanId !== undefined) {
      const step = skeleton.lines.find((line) => line.id === spanId || line.spanId === spanId);
      if (step === undefined) return { facts: { error: "The trace has no such step." } };
      return openStep((await ask("GET", traceOf(step.id))) as z.infer<typeof traceDetail>, from);
    }
    const root = from === 0 ? ((await ask("GET", traceOf(traceId))) as z.infer<typeof traceDetail>) : null;
    const { rows, next } = fitRows(skeleton.lines.map(showLine), from, 10_000);
    const shown = root && {
      name: cut(root.name, 200),
      input: cutJson(root.input, 1_500),
      output: cutJson(root.output, 1_500),
      error: cut(root.error, 500),
      model: cut(root.model, 100),
      sessionId: cut(root.sessionId, 200),
    };
    return {
      facts: {
        traceId,
        steps: skeleton.lines.length,
        truncated: skeleton.truncated,
        ...(root && { createdAt: root.createdAt, latencyMs: root.latencyMs, costUSD: root.estimatedCostUSD }),
        ...(root && { rating: root.judgeScores?.rating, scores: root.scores.length }),
        next,
      },
      recorded: { ...shown, tree: rows },
    };
  },
});

function showLine({ id: ofStep, depth, name, spanKind, latencyMs, hasError, model }: SkeletonLine): string {
  const time = latencyMs === null ? "" : ` ${Math.round(latencyMs)} ms`;
  const ofModel = model === undefined ? "" : ` ${cut(model, 40)}`;
  return `${" ".repeat(Math.min(depth, 30))}${cut(name, 80)} (${spanKind}${ofModel})${time}${hasError ? " ERROR" : ""} ${ofStep}`;
}

/** One step as JSON text, a piece at a time. */
function openStep(step: z.infer<typeof traceDetail>, from: number) {
  const { scores: _, judgeScores, ...shown } = step;
  const text = JSON.stringify(shown);
  const piece = pieceOf(text, from, recordedMaxChars);
  const end = from + piece.length;
  const facts = {
    id: step._id,
    rating: judgeScores?.rating,
    characters: text.length,
    next: end < text.length ? end : null,
  };
  return { facts, recorded: piece };
}

const explainScore = defineTool({
  name: "explain_score",
  description:
    "Why something is rated as it is. Of a trace (traceId): the live judges' reasons and the scores of people and programs. Of a result of a run (runId and resultId): question, answer, expectation and every scorer's reason.",
  input: z.object({ traceId: id.optional(), runId: id.optional(), resultId: id.optional() }),
  async run({ traceId, runId, resultId }, ask) {
    if (runId !== undefined && resultId !== undefined) return readResult({ runId, resultId }, ask);
    if (traceId === undefined) return { facts: { error: "Give traceId, or runId and resultId." } };
    const trace = (await ask("GET", traceOf(traceId))) as z.infer<typeof traceDetail>;
    const path = `${api}/agent-monitoring/traces/${encodeURIComponent(trace._id)}/evaluations`;
    const { evaluations } = (await ask("GET", path)) as z.infer<typeof traceEvaluations>;
    const rows = [
      ...evaluations.map((evaluation) => ({
        by: cut(evaluation.evaluatorName, 100),
        rating: evaluation.rating,
        threshold: evaluation.threshold,
        reason: cut(evaluation.justification, 1_500),
        judges: evaluation.judges?.slice(0, 10).map(({ name, rating }) => ({ name: cut(name, 60), rating })),
      })),
      ...trace.scores.map((score) => ({
        by: cut(score.author ?? score.source, 100),
        name: cut(score.name, 100),
        value: cutJson(score.value, 300),
        reason: cut(score.comment, 800),
      })),
    ];
    const { rows: shown, next } = fitRows(rows, 0);
    const facts = { traceId: trace._id, rating: trace.judgeScores?.rating, count: rows.length, cut: next !== null };
    return { facts, recorded: shown };
  },
});

const listSignals = defineTool({
  name: "list_signals",
  description:
    "List signals: problems that live monitoring found in traffic, last seen first, with traces that show them.",
  input: z.object({
    status: z
      .string()
      .max(100)
      .optional()
      .describe(`Of ${signalStatus.options.join(", ")}; several with commas`),
    severity: z.enum(["low", "medium", "high", "critical"]).optional(),
    search: z.string().max(500).optional(),
    limit: z.int().min(1).max(10).default(10),
    cursor,
  }),
  async run(input, ask) {
    const page = (await ask("GET", `${api}/monitor/signals`, queryOf(input))) as z.infer<typeof signalList>;
    const rows = page.signals.map((signal) => ({
      signalId: signal._id,
      summary: cut(signal.summary, 300),
      rootCause: cut(signal.rootCause, 200),
      severity: signal.severity,
      status: signal.status,
      agent: cut(signal.agentId?.name, 60),
      occurrences: signal.occurrenceCount,
      lastSeenAt: signal.lastSeenAt,
      newest: signal.occurrences?.slice(0, 2).map(({ traceId, rating, query }) => ({
        traceId: cut(traceId, 80),
        rating,
        query: cut(query, 150),
      })),
    }));
    const { totalCount, statusCounts, nextCursor } = page;
    return { facts: { totalCount, statusCounts, next: nextCursor }, recorded: rows };
  },
});

export const traceTools: readonly Tool[] = [searchTraces, getTrace, explainScore, listSignals];
