import type { Bus } from "@touchstone/bus";
import type { VerdictMode } from "@touchstone/contracts";
import { orAborted, takeLoopTurnIfLarge } from "@touchstone/service-kit";
import type { EvaluationCase } from "../grading/cases.ts";
import type { GradingPlan } from "../grading/plan.ts";
import type { Timings } from "../timings.ts";
import { askJudge } from "./ask-judge.ts";
import { askMembers } from "./ask-members.ts";
import { composeJudgeRequest, type LinkedTrace } from "./judge-request.ts";
import { failedCase, type Judgement, type SubmittedResult, skipped } from "./judgement.ts";
import { readReply } from "./read-reply.ts";

export interface JudgingDependencies {
  bus: Bus;
  timings: Timings;
}

/** One result to judge, with all inputs of its grading. */
export interface ResultToJudge {
  projectId: string;
  /** The organization that the judge calls are counted for; null without organizations. */
  organizationId: string | null;
  verdictMode: VerdictMode;
  plan: GradingPlan;
  /** Null when its question does not exist: it is judged without case data (completions 5.3). */
  evaluationCase: EvaluationCase | null;
  submitted: SubmittedResult;
  linkTrace: LinkTrace;
}

/** Reads a linked trace; null = there is none, or it could not be read. Never rejects. */
export type LinkTrace = (traceId: string) => Promise<LinkedTrace | null>;

/**
 * Judges one result: rated 0 when it was submitted with an error. `leftMs` is the remaining time of the whole batch; a result
 * never uses more than its own limit. Rejects only for an aborted signal.
 */
export async function judgeResult(
  { bus, timings }: JudgingDependencies,
  result: ResultToJudge,
  { leftMs, signal }: { leftMs: number; signal: AbortSignal },
): Promise<Judgement> {
  const { error, traceId, query, outputText } = result.submitted;
  if (error !== null) return failedCase(error);
  const startedMs = performance.now();
  const linked = traceId === null ? null : await orAborted(result.linkTrace(traceId), signal);
  await takeLoopTurnIfLarge((query?.length ?? 0) + (outputText?.length ?? 0));
  const endMs = startedMs + Math.min(timings.resultMs, leftMs) - timings.storeMs;
  const { outageMs } = timings;
  const graded = { ...result, linked };
  let timeoutMs = endMs - performance.now();
  if (timeoutMs <= 0) return skipped("timeout", "The time of the batch was over before the result was judged.");
  // Members come first, because the judge service includes their findings in the score; at least half of the time is left for
  // the judges.
  const members = await askMembers(bus, graded, { timeoutMs: timeoutMs / 2, outageMs, signal });
  if ("skipped" in members) return members.skipped;
  timeoutMs = endMs - performance.now();
  const request = composeJudgeRequest(graded, members.findings);
  const judged = await askJudge(bus, request, { timeoutMs, outageMs, signal });
  if ("skipped" in judged) return { ...judged.skipped, members: members.findings };
  return readReply(request, judged.reply, members.findings);
}
