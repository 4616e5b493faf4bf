import {
  feedbackList,
  feedbackParams,
  feedbackReply,
  outcomeReply,
  submittedFeedback,
  submittedFeedbackSentences,
  submittedOutcome,
  voteList,
  votesQuery,
} from "../http/feedback.ts";
import { judged } from "../judged-body.ts";
import type { Route } from "../route.ts";
import { byMember, checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const monitor = { ...dataPlane, owner: "monitor", section: "completions 9.6" } as const;

/** People's feedback on traces, and outcomes. */
export const feedbackRoutes = {
  createFeedback: {
    ...monitor,
    ...byMember,
    id: "createFeedback",
    method: "POST",
    path: `${prefix}/feedback`,
    body: judged(json(submittedFeedback), submittedFeedbackSentences),
    responses: {
      201: { description: "The vote.", schema: feedbackReply },
      ...checkedBody,
      404: error("No such trace in the project."),
    },
    summary: "Vote on a trace; a vote down raises a signal.",
  },
  listFeedback: {
    ...monitor,
    id: "listFeedback",
    method: "GET",
    path: `${prefix}/feedback/trace/{traceId}`,
    params: feedbackParams,
    responses: { 200: { description: "The newest votes first, at most 200.", schema: feedbackList } },
    summary: "List the votes on a trace.",
  },
  listVotes: {
    ...monitor,
    id: "listVotes",
    method: "GET",
    path: `${prefix}/feedback`,
    query: votesQuery,
    responses: {
      200: { description: "The votes, newest first.", schema: voteList },
      400: error("A filter is none of its values."),
    },
    summary: "List the votes on all traces.",
  },
  createOutcome: {
    ...monitor,
    id: "createOutcome",
    method: "POST",
    path: `${prefix}/outcomes`,
    body: json(submittedOutcome),
    responses: { 201: { description: "The report.", schema: outcomeReply }, ...checkedBody },
    summary: "Report how something ended.",
  },
} as const satisfies Record<string, Route>;
