import { z } from "zod";
import { limits } from "../limits.ts";
import { pageEnd } from "./list-page.ts";
import { filledText, storable } from "./texts.ts";

const text = z.string().max(limits.feedbackTextMaxChars).check(storable);
const name = z.string().max(limits.feedbackNameMaxChars).check(storable);
const thumb = z.enum(["up", "down"]);

/** Body of `POST /feedback` (completions 9.6). */
export const submittedFeedback = z.object({
  traceId: filledText,
  rating: thumb,
  comment: text.nullish(),
  endUserId: name.nullish(),
});
export const submittedFeedbackSentences = {
  traceId: "traceId is required",
  rating: 'rating must be "up" or "down"',
  comment: `comment must be text of at most ${limits.feedbackTextMaxChars} characters`,
  endUserId: `endUserId must be text of at most ${limits.feedbackNameMaxChars} characters`,
} as const;

/** A person's vote on a trace. */
const feedback = z.object({
  _id: z.string(),
  traceId: z.string(),
  rating: thumb,
  comment: z.string().optional(),
  endUserId: z.string().optional(),
  authorId: z.string().nullable().describe("The user who voted while signed in; null of a vote with the project's key"),
  createdAt: z.string(),
});

export const feedbackReply = z.object({ feedback });
export const feedbackList = z.object({ feedback: z.array(feedback) });
/** Query of `GET /feedback` (completions 9.6). */
export const votesQuery = z.object({
  rating: thumb.optional(),
  from: z.string().optional().describe("ISO 8601; when the vote was given, inclusive"),
  to: z.string().optional().describe("ISO 8601; exclusive"),
  limit: z.string().optional().describe(`1 to ${limits.feedbackListedMax}, default ${limits.feedbackPageDefault}`),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

/** The votes on all traces, newest first. */
export const voteList = z.object({
  totalCount: z.int().describe("Of all pages"),
  feedback: z.array(
    feedback.extend({
      traceName: z.string().nullable().describe("The name of its trace; null when it is no longer known"),
    }),
  ),
  ...pageEnd,
});

export const feedbackParams = z.object({ traceId: z.string() });

/** Body of `POST /outcomes` (completions 9.6). One of the two ids is present. */
export const submittedOutcome = z.object({
  outcome: name.min(1),
  isNegative: z.boolean(),
  traceId: name.nullish(),
  evaluationRunResultId: name.nullish(),
  reason: text.nullish(),
  reportedBy: name.nullish(),
});

export const outcomeReply = z.object({
  report: z.object({
    _id: z.string(),
    traceId: z.string().nullable(),
    evaluationRunResultId: z.string().nullable(),
    outcome: z.string(),
    isNegative: z.boolean(),
    reason: z.string().nullable(),
    reportedBy: z.string().nullable(),
    reportedAt: z.string(),
  }),
});
