import type { feedbackReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredVote } from "../../feedback/feedback-store.ts";

/** A vote as it is answered: what was not said is left out, but for the author. */
export function showVote({
  id,
  traceId,
  rating,
  comment,
  endUserId,
  authorId,
  createdAt,
}: StoredVote): z.input<typeof feedbackReply>["feedback"] {
  return {
    _id: id,
    traceId,
    rating,
    ...(comment !== null && { comment }),
    ...(endUserId !== null && { endUserId }),
    authorId,
    createdAt: createdAt.toISOString(),
  };
}
