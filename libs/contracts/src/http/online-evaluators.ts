import { z } from "zod";
import { dashboardWindow, dashboardWindowQuery } from "../dashboard-window.ts";
import { limits } from "../limits.ts";
import { pageEnd } from "./list-page.ts";

const settings = {
  sampleRate: z.number().min(0).max(1),
  scopeMode: z.enum(["all", "selected"]),
  agentIds: z.array(z.string()).max(limits.onlineAgentsMax),
  enabled: z.boolean(),
  alertThreshold: z.number().min(limits.ratingMin).max(limits.ratingMax).nullable().describe("null never alerts"),
  severity: z.enum(["low", "medium", "high", "critical"]),
  scope: z.enum(["trace", "session"]),
  idleSeconds: z.int().min(1).max(86_400),
};

/** The members of a live profile that a client may send; missing ones have their default, or are unchanged. */
const submitted = z.object(settings).partial();

/** Body of `POST /monitor/online-evaluators` (completions 9.5). */
export const submittedOnlineEvaluator = submitted.extend({
  name: z.string().min(1).max(limits.graderNameMaxChars),
  evaluationSettingsId: z.string(),
});

/** Body of `PUT`: sparse. The criteria are unchanged. */
export const changedOnlineEvaluator = submitted.extend({ name: z.string().max(limits.graderNameMaxChars).optional() });

/** The live profile of a judge scorer; `_id` is its `profileId`. */
const onlineEvaluator = z.object({
  _id: z.string(),
  name: z.string(),
  evaluationSettingsId: z.string(),
  ...settings,
  createdAt: z.string(),
});

export const onlineEvaluatorReply = z.object({ evaluator: onlineEvaluator });
export const onlineEvaluatorList = z.object({ evaluators: z.array(onlineEvaluator) });
export const onlineEvaluatorParams = z.object({ onlineEvaluatorId: z.string() });

/** The ratings of a live judge or group in each interval of the window, in UTC, oldest first. */
export const liveRatings = z.object({
  window: dashboardWindow,
  points: z.array(
    z.object({ label: z.string(), ts: z.string(), averageRating: z.number().nullable(), count: z.int() }),
  ),
});

const verdictId = z
  .string()
  .nullable()
  .describe("The record of the verdict, see GET /verdicts/{verdictId}; null if there is none, and for groups");

/** The ratings of one judge of a scorer group. */
export const groupJudge = z.object({
  scorerId: z.string(),
  name: z.string().nullable(),
  rating: z.number().nullable().describe("Null if the judge gave no rating"),
  verdictId,
});
export type GroupJudge = z.infer<typeof groupJudge>;

const judges = z
  .array(groupJudge)
  .nullable()
  .describe("The judges of a group; null for a judge, and for older ratings");

/** The origin of a rating, as far as it was recorded. */
const recorded = {
  threshold: z.number().nullable().describe("The threshold at that time; null if there was none"),
  scorerVersion: z.int().nullable().describe("The version of the rubric; null if it has no versions"),
  model: z.string().nullable(),
  verdictId,
  judges,
};

/** Query of `GET /monitor/online-evaluators/{onlineEvaluatorId}/events`. */
export const liveRatingEventsQuery = dashboardWindowQuery.extend({
  from: z.string().optional().describe("ISO 8601; when it was judged, inclusive; default is the start of the window"),
  to: z.string().optional().describe("ISO 8601; exclusive"),
  limit: z.string().optional().describe("1 to 50, default 20"),
  cursor: z.string().optional().describe("Where to continue; take it from nextCursor"),
});

/** A page of its verdicts, worst first. */
export const liveRatingEvents = z.object({
  window: dashboardWindow,
  totalCount: z.int().describe("Of all pages"),
  events: z.array(
    z.object({
      id: z.string(),
      traceId: z.string().nullable().describe("Null if a session was judged"),
      rating: z.number(),
      justification: z.string().nullable(),
      createdAt: z.string(),
      input: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
      output: z.string().nullable().describe("Its first 500 characters; null when the trace is gone"),
      sessionId: z.string().nullable(),
      ...recorded,
    }),
  ),
  ...pageEnd,
});

export const judgedTraceParams = z.object({ traceId: z.string() });

/** The ratings of a trace by live judges and groups. */
export const traceEvaluations = z.object({
  evaluations: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["judge", "group"]),
      evaluatorId: z.string(),
      evaluatorName: z.string(),
      rating: z.number(),
      justification: z.string().nullable(),
      createdAt: z.string(),
      ...recorded,
    }),
  ),
});

export const judgedSessionParams = z.object({ sessionId: z.string() });

/** The ratings of a session by live judges and groups, newest first (completions 2.7). */
export const sessionScores = z.object({
  scores: z.array(
    z.object({
      _id: z.string(),
      sessionId: z.string(),
      kind: z.string(),
      rating: z.number().nullable(),
      justification: z.string().nullable(),
      driftSpanId: z.string().nullable(),
      findings: z.array(
        z.object({ spanId: z.string().nullable(), spanIndex: z.int(), text: z.string(), tag: z.string() }),
      ),
      spanCount: z.int(),
      judgeModel: z.string().nullable(),
      scorerName: z.string().describe("The name at that time"),
      threshold: z.number().nullable().describe("The threshold at that time; null if there was none"),
      verdictId,
      judges,
      createdAt: z.string(),
    }),
  ),
});

/** The number of idle sessions that were sent to their judges; `skipped` when sessions are not swept. */
export const sessionSweepReply = z.object({ judged: z.int(), skipped: z.literal(true).optional() });
