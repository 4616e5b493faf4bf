import { type feedbackReply, limits } from "@touchstone/contracts";
import {
  AppError,
  type Handler,
  isUuid,
  type JsonMembers,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readText } from "../http/feedback/read-text.ts";
import { showVote } from "../http/feedback/show-vote.ts";
import type { IngestClient } from "../ingest-client.ts";
import { previewOf } from "../model/preview.ts";
import type { FeedbackStore, Vote } from "./feedback-store.ts";

/** POST /feedback (completions 9.6). */
export function createFeedback({
  feedback,
  ingest,
}: {
  feedback: FeedbackStore;
  ingest: Pick<IngestClient, "readTrace">;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const vote = readVote((await readJsonObject(call)).value);
    const trace = isUuid(vote.traceId) ? await ingest.readTrace(projectId, vote.traceId) : null;
    if (trace === null) throw new AppError("not_found", "Trace not found");
    const stored = await feedback.addVote(
      projectId,
      { ...vote, traceId: trace.traceId, authorId: call.identity.userId },
      {
        name: trace.name,
        agentId: trace.agentId,
        query: previewOf(trace.input),
        responsePreview: previewOf(trace.output),
      },
    );
    const body: z.input<typeof feedbackReply> = { feedback: showVote(stored) };
    return { status: 201, body };
  };
}

function readVote({ traceId, rating, comment, endUserId }: JsonMembers): Omit<Vote, "authorId"> {
  if (typeof traceId !== "string" || traceId.trim() === "") throw new AppError("bad_request", "traceId is required");
  if (rating !== "up" && rating !== "down") throw new AppError("bad_request", 'rating must be "up" or "down"');
  return {
    traceId,
    rating,
    comment: readText("comment", comment, limits.feedbackTextMaxChars),
    endUserId: readText("endUserId", endUserId, limits.feedbackNameMaxChars),
  };
}
