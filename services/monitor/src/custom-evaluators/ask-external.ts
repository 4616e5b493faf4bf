import { OutboundError, type OutboundFetch, type OutboundReach } from "@touchstone/service-kit";
import { z } from "zod";
import { checkUrl } from "../model/check-url.ts";
import type { AskedTrace, EvaluatorAnswer, EvaluatorFailure } from "./evaluator.ts";

/** Limits of an external scorer's response: time and size (completions 4.5). */
export const externalLimits = { totalMs: 8_000, idleMs: 8_000, answerMaxBytes: 64 * 1024 } as const;

const answerSchema = z.object({
  matches: z.boolean(),
  reason: z.string().nullish(),
  score: z.number().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** Statuses after which a retry may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Calls an external scorer for a trace: one POST without redirects, reading the response up to the limit. Rejects only with the
 * reason of `signal`.
 */
export async function askExternal(
  { outbound, reach }: { outbound: OutboundFetch; reach: OutboundReach },
  { url, id, name, trace }: { url: string; id: string; name: string; trace: AskedTrace },
  signal: AbortSignal,
): Promise<{ answer: EvaluatorAnswer } | { failure: EvaluatorFailure }> {
  const { spans, agentId, traceId, ...rest } = trace;
  const body = {
    schemaVersion: 2,
    evaluatorId: id,
    evaluatorName: name,
    agentId,
    traceId,
    trace: { id: traceId, agentId, ...rest },
    spans,
  };
  const checked = checkUrl(url, reach);
  if ("refusal" in checked) return failed(checked.refusal.message, "lasting");
  try {
    const answer = await outbound(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "touchstone" },
      body: JSON.stringify(body),
      signal,
    });
    if (answer.status >= 200 && answer.status < 300) return readAnswer(await answer.text());
    await answer.body?.cancel().catch(() => {});
    const isPassing = answer.status >= 500 || passingStatuses.has(answer.status);
    return failed(describeStatus(answer.status), isPassing ? "passing" : "lasting");
  } catch (thrown) {
    if (!(thrown instanceof OutboundError)) throw thrown;
    const isLasting = thrown.kind === "answer_too_large" || thrown.kind === "answer_unreadable";
    return failed(thrown.message, isLasting ? "lasting" : "passing");
  }
}

function readAnswer(text: string): { answer: EvaluatorAnswer } | { failure: EvaluatorFailure } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed("The scorer's answer is not JSON.", "lasting");
  }
  const read = answerSchema.safeParse(value);
  if (!read.success)
    return failed("The scorer's answer must be { matches: boolean, reason?, score?, metadata? }.", "lasting");
  const { matches, reason = null, score = null, metadata = null } = read.data;
  const share = score === null ? null : Math.min(1, Math.max(0, score));
  return { answer: { matches, score: share, reason, name: null, metadata } };
}

const describeStatus = (status: number): string =>
  status >= 300 && status < 400
    ? `The scorer answered with a redirect (${status}), which is not followed.`
    : `The scorer answered with status ${status}.`;

const failed = (message: string, kind: EvaluatorFailure["kind"]): { failure: EvaluatorFailure } => ({
  failure: { message, kind },
});
