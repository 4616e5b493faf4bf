import { evaluateTraceReply, traceToEvaluate, traceToEvaluateSentences } from "../http/trace-evaluation.ts";
import { traceParams } from "../http/traces.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

/** Grading recorded traces. */
export const traceEvaluationRoutes = {
  evaluateTrace: {
    ...dataPlane,
    id: "evaluateTrace",
    method: "POST",
    path: `${prefix}/ingest/traces/{traceId}/evaluate`,
    owner: "eval-runs",
    params: traceParams,
    body: judged(json(traceToEvaluate), traceToEvaluateSentences),
    responses: {
      200: {
        description: "A completed run of one result. Each call makes one: it is not idempotent.",
        schema: evaluateTraceReply,
      },
      ...checkedBody,
      404: error("No such trace, or neither a dataset nor a grading config of this id in the project."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Grade a recorded trace.",
    section: "interface: POST ingest/traces/{traceId}/evaluate",
  },
} as const satisfies Record<string, Route>;
