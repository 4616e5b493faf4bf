import type { feedbackList } from "@touchstone/contracts";
import { type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { FeedbackStore } from "../../feedback/feedback-store.ts";
import { showVote } from "./show-vote.ts";

/** GET /feedback/trace/{traceId} (completions 9.6): empty also for a trace that is not there. */
export function listFeedback({ feedback }: { feedback: Pick<FeedbackStore, "listOfTrace"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId = "" } = call.params;
    const votes = isUuid(traceId) ? await feedback.listOfTrace(projectId, traceId) : [];
    const body: z.input<typeof feedbackList> = { feedback: votes.map(showVote) };
    return { status: 200, body };
  };
}
