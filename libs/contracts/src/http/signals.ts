import { z } from "zod";
import { pageEnd } from "./list-page.ts";
import { polarity, severity } from "./patterns.ts";
import { filledText, isStorable, isUuid, withRules } from "./texts.ts";

export const signalStatus = z.enum(["open", "reopened", "in_review", "resolved", "archived", "dismissed"]);
const agentRef = z.object({ _id: z.string(), name: z.string() });

/** A finding that needs attention: one for each project, finding and agent (completions 9.4). */
export const signal = z.object({
  _id: z.string(),
  workspaceId: z.string(),
  patternKey: z.string(),
  type: z.string(),
  severity,
  polarity,
  status: signalStatus,
  reviewStatus: z.string().optional(),
  recommendedActions: z.json().optional(),
  summary: z.string(),
  rootCause: z.string().optional(),
  agentId: agentRef.optional(),
  evidence: z.json().optional(),
  occurrenceCount: z.number().int(),
  occurrences: z
    .array(
      z.object({
        id: z.string(),
        agentId: z.string().optional(),
        traceId: z.string().optional(),
        sessionId: z.string().optional(),
        seenAt: z.string(),
        query: z.string().optional(),
        responsePreview: z.string().optional(),
        rating: z.number().optional(),
        justification: z.string().optional(),
        verdictId: z.string().optional().describe("The record of the verdict, see GET /verdicts/{verdictId}"),
      }),
    )
    .describe("The newest first: 10 in a list, 100 of one signal"),
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const signalParams = z.object({ signalId: z.string() });
export const signalReply = z.object({ signal });

/** `GET /monitor/signals/{signalId}`. */
export const signalDetail = signalReply.extend({
  trend: z
    .array(z.object({ ts: z.string(), count: z.int() }))
    .describe("How often it was seen on each of the last 30 days (UTC), oldest first; of an alert rule its newest 100"),
});

/** Query of `GET /monitor/signals/{signalId}/events`. */
export const signalEventsQuery = z.object({
  from: z.string().optional().describe("ISO 8601; when it was seen, inclusive"),
  to: z.string().optional().describe("ISO 8601; exclusive"),
  limit: z.string().optional().describe("1 to 50, default 20"),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

/** How often a signal was seen, as its trend counts it, newest first. */
export const signalEvents = z.object({
  totalCount: z.int().describe("Of all pages"),
  events: z.array(
    z.object({
      id: z.string(),
      traceId: z.string().nullable(),
      sessionId: z.string().nullable(),
      seenAt: z.string(),
      rating: z.number().nullable(),
      justification: z.string().nullable(),
      input: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
      output: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
    }),
  ),
  ...pageEnd,
});

/** A page of signals. A signal that recurs while pages are read moves to the first one. */
export const signalList = z.object({
  signals: z.array(signal.partial({ occurrences: true })).describe("With `view=summary` without their occurrences"),
  totalCount: z.int().describe("All that match, on whatever page"),
  statusCounts: z.record(signalStatus, z.int()).describe("The same with any status, by status"),
  nextCursor: z.string().nullable(),
});

/** `limit`: default 50, at most 100; `polarity`: default failure, `all` for both. */
export const signalsQuery = z.object({
  severity: severity.optional(),
  status: z
    .string()
    .optional()
    .describe(`One of ${signalStatus.options.join(", ")}, or several with commas between`),
  agentId: z.string().optional(),
  polarity: z.enum(["failure", "proper", "all"]).optional(),
  search: z
    .string()
    .optional()
    .describe("Text that its summary, cause, key or newest question and answer contain, in any case"),
  view: z.enum(["full", "summary"]).optional(),
  limit: z.string().optional(),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

/** Body of `PATCH /monitor/signals/{signalId}`. */
export const changedSignal = withRules(
  z.object({
    status: signalStatus.optional(),
    severity: severity.optional(),
    reviewStatus: z.string().max(200).nullish(),
    recommendedActions: z.unknown().optional(),
  }),
  { reviewStatus: isStorable },
);

export const changedSignalSentences = {
  status: `status must be one of: ${signalStatus.options.join(", ")}`,
  severity: `severity must be one of: ${severity.options.join(", ")}`,
  reviewStatus: {
    custom: "reviewStatus must be text without NUL",
    otherwise: "reviewStatus must be a string of at most 200 characters",
  },
  recommendedActions: "recommendedActions must be JSON",
} as const;

const feedbackTextMaxChars = 10_000;
const isFeedbackText = (text: string): boolean => text.length <= feedbackTextMaxChars && isStorable(text);
const feedbackText = filledText.describe(`At most ${feedbackTextMaxChars} characters`);

/** Body of `POST /agent-monitoring/signals/{signalId}/feedback`. */
export const submittedSignalFeedback = withRules(
  z.object({
    metric: feedbackText,
    rationale: feedbackText,
    occurrenceId: z.string().nullish().describe("The id of an occurrence of the signal"),
    originalScore: z.number().nullish(),
    correctedScore: z.number().nullish(),
    queuedForAutotune: z.boolean().nullish(),
  }),
  { occurrenceId: isUuid, metric: isFeedbackText, rationale: isFeedbackText },
);

const feedbackTexts = {
  custom: `metric and rationale must be text of at most ${feedbackTextMaxChars} characters`,
  otherwise: "metric and rationale are required",
} as const;
export const signalFeedbackSentences = {
  metric: feedbackTexts,
  rationale: feedbackTexts,
  occurrenceId: {
    custom: "occurrenceId must be the id of an occurrence",
    otherwise: "occurrenceId must be a string",
  },
  originalScore: "originalScore must be a number",
  correctedScore: "correctedScore must be a number",
  queuedForAutotune: "queuedForAutotune must be a boolean",
} as const;

export const signalFeedbackReply = z.object({
  feedback: z.object({
    _id: z.string(),
    signalId: z.string(),
    metric: z.string(),
    rationale: z.string(),
    occurrenceId: z.string().nullable(),
    originalScore: z.number().nullable(),
    correctedScore: z.number().nullable(),
    queuedForAutotune: z.boolean(),
    createdAt: z.string(),
  }),
});
