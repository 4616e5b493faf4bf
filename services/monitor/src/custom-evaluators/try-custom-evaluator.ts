import { type customEvaluatorTrialReply, isUuid, type ScriptTrace } from "@touchstone/contracts";
import {
  type Handler,
  isAppError,
  type JsonMembers,
  type OutboundReach,
  readJsonObject,
  requireProject,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../ingest-client.ts";
import type { AskEvaluator } from "./ask-evaluator.ts";
import type { EvaluatorAnswer } from "./evaluator.ts";
import { composeEvaluatorDocument } from "./evaluator-document.ts";

type Reply = z.input<typeof customEvaluatorTrialReply>;

/**
 * POST /agent-monitoring/custom-evaluators/dry-run (completions 4.5): runs a custom scorer on a trace and stores nothing.
 * Always 200: a failure of the scorer is in `error`.
 */
export function tryCustomEvaluator(dependencies: {
  ingest: Pick<IngestClient, "readTraceForScripts">;
  askEvaluator: AskEvaluator;
  reach: OutboundReach;
}): Handler {
  const { ingest, askEvaluator, reach } = dependencies;

  async function readTrace(projectId: string, { traceId }: JsonMembers): Promise<ScriptTrace | null> {
    if (traceId === undefined || traceId === null) return exampleTrace();
    return typeof traceId === "string" && isUuid(traceId) ? ingest.readTraceForScripts(projectId, traceId) : null;
  }

  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    let beganAt = performance.now();
    const reply = (outcome: Pick<Reply, "response" | "error">): { status: 200; body: Reply } => ({
      status: 200,
      body: { ok: outcome.error === undefined, latencyMs: Math.round(performance.now() - beganAt), ...outcome },
    });
    try {
      const document = composeEvaluatorDocument({ name: "Dry run", ...sent }, null, reach);
      const trace = await readTrace(projectId, sent);
      if (trace === null) return reply({ error: "Trace not found" });
      beganAt = performance.now();
      const asked = await askEvaluator({ projectId, id: "dry-run", document }, trace, call.signal);
      return reply("failure" in asked ? { error: asked.failure.message } : { response: showAnswer(asked.answer) });
    } catch (thrown) {
      if (isAppError(thrown) && thrown.code === "bad_request") return reply({ error: thrown.message });
      throw thrown;
    }
  };
}

/** Absent members are left out; a score is null if a script skips the trace. */
function showAnswer({ matches, score, reason, name, metadata }: EvaluatorAnswer): NonNullable<Reply["response"]> {
  return {
    ...(matches !== null && { matches }),
    ...((matches === null || score !== null) && { score }),
    ...(reason !== null && { reason }),
    ...(name !== null && { name }),
    ...(metadata !== null && { metadata: metadata as never }),
  };
}

/** The trace for a trial without a named one. */
function exampleTrace(): ScriptTrace {
  const traceId = uuidv7(Date.now());
  const [input, output] = ["What are your opening hours?", "We are open from 9 to 5."];
  const told = { name: "example-agent", input, output, error: null, model: null };
  const span = {
    span_id: traceId,
    parent_span_id: null,
    type: "agent",
    latency_ms: 120,
    tool_calls: null,
    metadata: null,
  };
  return {
    ...told,
    traceId,
    agentId: null,
    sessionId: null,
    latencyMs: 120,
    inputTokens: null,
    outputTokens: null,
    metadata: null,
    spans: [{ ...told, ...span, input_tokens: null, output_tokens: null, started_at: new Date().toISOString() }],
  };
}
