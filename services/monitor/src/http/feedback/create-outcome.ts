import { limits, type outcomeReply } from "@touchstone/contracts";
import { AppError, type Handler, type JsonMembers, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { FeedbackStore, Outcome } from "../../feedback/feedback-store.ts";
import { readFilledText, readText } from "./read-text.ts";

/** POST /outcomes (completions 9.6). What it refers to is kept as it was sent. */
export function createOutcome({ feedback }: { feedback: Pick<FeedbackStore, "addOutcome"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { id, reportedAt, ...said } = await feedback.addOutcome(
      projectId,
      readOutcome((await readJsonObject(call)).value),
    );
    const body: z.input<typeof outcomeReply> = {
      report: { _id: id, ...said, reportedAt: reportedAt.toISOString() },
    };
    return { status: 201, body };
  };
}

function readOutcome(sent: JsonMembers): Outcome {
  const nameMax = limits.feedbackNameMaxChars;
  const outcome = typeof sent.outcome === "string" ? readFilledText("outcome", sent.outcome, nameMax) : null;
  if (outcome === null) throw new AppError("bad_request", "outcome is required");
  if (typeof sent.isNegative !== "boolean") throw new AppError("bad_request", "isNegative (boolean) is required");
  const traceId = readFilledText("traceId", sent.traceId, nameMax);
  const evaluationRunResultId = readFilledText("evaluationRunResultId", sent.evaluationRunResultId, nameMax);
  if (traceId === null && evaluationRunResultId === null) {
    throw new AppError("bad_request", "traceId or evaluationRunResultId is required");
  }
  return {
    outcome,
    isNegative: sent.isNegative,
    traceId,
    evaluationRunResultId,
    reason: readText("reason", sent.reason, limits.feedbackTextMaxChars),
    reportedBy: readText("reportedBy", sent.reportedBy, nameMax),
  };
}
