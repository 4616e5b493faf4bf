import { dashboardWindowQuery } from "../dashboard-window.ts";
import { calibration } from "../http/dashboards.ts";
import {
  changedOnlineEvaluator,
  judgedSessionParams,
  judgedTraceParams,
  liveRatingEvents,
  liveRatingEventsQuery,
  liveRatings,
  onlineEvaluatorList,
  onlineEvaluatorParams,
  onlineEvaluatorReply,
  sessionScores,
  sessionSweepReply,
  submittedOnlineEvaluator,
  traceEvaluations,
} from "../http/online-evaluators.ts";
import type { Route } from "../route.ts";
import { byMember, checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const evaluators = { ...dataPlane, owner: "eval-runs", section: "completions 9.5" } as const;
const monitor = { ...dataPlane, owner: "monitor" } as const;

const evaluatorsPath = `${prefix}/monitor/online-evaluators`;
const evaluatorPath = `${evaluatorsPath}/{onlineEvaluatorId}`;
const noEvaluator = error("No such online evaluator in the project.");

/** The judges of live traffic, and their ratings. */
export const liveJudgingRoutes = {
  createOnlineEvaluator: {
    ...evaluators,
    ...byMember,
    id: "createOnlineEvaluator",
    method: "POST",
    path: evaluatorsPath,
    body: json(submittedOnlineEvaluator),
    responses: {
      201: { description: "The online evaluator.", schema: onlineEvaluatorReply },
      ...checkedBody,
      409: error("The config judges live traffic already, or cannot."),
    },
    summary: "Attach a grading config to live traffic.",
  },
  listOnlineEvaluators: {
    ...evaluators,
    id: "listOnlineEvaluators",
    method: "GET",
    path: evaluatorsPath,
    responses: { 200: { description: "Newest first.", schema: onlineEvaluatorList } },
    summary: "List online evaluators.",
  },
  getOnlineEvaluator: {
    ...evaluators,
    id: "getOnlineEvaluator",
    method: "GET",
    path: evaluatorPath,
    params: onlineEvaluatorParams,
    responses: { 200: { description: "The online evaluator.", schema: onlineEvaluatorReply }, 404: noEvaluator },
    summary: "Read an online evaluator.",
  },
  updateOnlineEvaluator: {
    ...evaluators,
    ...byMember,
    id: "updateOnlineEvaluator",
    method: "PUT",
    path: evaluatorPath,
    params: onlineEvaluatorParams,
    body: json(changedOnlineEvaluator),
    responses: {
      200: { description: "The online evaluator.", schema: onlineEvaluatorReply },
      ...checkedBody,
      404: noEvaluator,
      409: error("Of the built-in session judge only enabled may change."),
    },
    summary: "Change an online evaluator.",
  },
  deleteOnlineEvaluator: {
    ...evaluators,
    ...byMember,
    id: "deleteOnlineEvaluator",
    method: "DELETE",
    path: evaluatorPath,
    params: onlineEvaluatorParams,
    responses: {
      204: { description: "The config judges live traffic no more.", schema: null },
      404: noEvaluator,
      409: error("The built-in session judge stays."),
    },
    summary: "Detach a grading config from live traffic.",
  },
  readLiveRatings: {
    ...monitor,
    id: "readLiveRatings",
    method: "GET",
    path: `${evaluatorPath}/ratings`,
    params: onlineEvaluatorParams,
    query: dashboardWindowQuery,
    responses: {
      200: {
        description: "Averages of what the online evaluator, or the live group of that id, gave.",
        schema: liveRatings,
      },
      404: noEvaluator,
    },
    summary: "Read live ratings over time.",
    section: "completions 9.5",
  },
  listLiveRatingEvents: {
    ...monitor,
    id: "listLiveRatingEvents",
    method: "GET",
    path: `${evaluatorPath}/events`,
    params: onlineEvaluatorParams,
    query: liveRatingEventsQuery,
    responses: {
      200: { description: "A page of the ratings, worst first.", schema: liveRatingEvents },
      400: error("A parameter that cannot be read."),
      404: noEvaluator,
    },
    summary: "List what an online evaluator, or a live group, said.",
    section: "completions 9.5",
  },
  readLiveCalibration: {
    ...monitor,
    id: "readLiveCalibration",
    method: "GET",
    path: `${evaluatorPath}/calibration`,
    params: onlineEvaluatorParams,
    responses: { 200: { description: "By version.", schema: calibration }, 404: noEvaluator },
    summary: "Read how far an online evaluator, or a live group, agrees with people.",
    section: "completions 14",
  },
  listTraceEvaluations: {
    ...monitor,
    id: "listTraceEvaluations",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: `${prefix}/agent-monitoring/traces/{traceId}/evaluations`,
    params: judgedTraceParams,
    responses: { 200: { description: "Empty when nothing scored the trace.", schema: traceEvaluations } },
    summary: "List the verdicts of live scorers on a trace.",
    section: "completions 9.5",
  },
  listSessionScores: {
    ...monitor,
    id: "listSessionScores",
    method: "GET",
    path: `${prefix}/agent-monitoring/sessions/{sessionId}/scores`,
    params: judgedSessionParams,
    responses: { 200: { description: "Newest first; empty when nothing scored the session.", schema: sessionScores } },
    summary: "List the verdicts of live scorers on a session.",
    section: "completions 2.7",
  },
  runSessionSweep: {
    ...monitor,
    ...byMember,
    id: "runSessionSweep",
    method: "POST",
    path: `${prefix}/agent-monitoring/session-sweep/run`,
    responses: { 200: { description: "How many sessions are being judged.", schema: sessionSweepReply } },
    summary: "Have the project's idle sessions judged now.",
    section: "completions 2.7",
  },
} as const satisfies Record<string, Route>;
