import {
  internalRoutes,
  isUuid,
  type liveRatingEvents,
  type liveRatings,
  readDashboardWindow,
  routes,
  type sessionSweepReply,
  stretchesOf,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Clock,
  type Handler,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { AgreementReader } from "../dashboards/agreement-reader.ts";
import { readAgreement } from "../dashboards/read-agreement.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { LiveBudget } from "../judging/live-budget-store.ts";
import { previewOf } from "../model/finding.ts";
import { composePoints, type JudgementReader } from "./judgement-reader.ts";
import { readRatingsPage, writePosition } from "./read-ratings-page.ts";
import type { SessionSweep } from "./session-sweep.ts";

export interface LiveJudgingRouteDependencies {
  judgements: JudgementReader;
  agreement: AgreementReader;
  sessionSweep: Pick<SessionSweep, "sweep">;
  /** Idle sessions are judged automatically. */
  sweepsSessions: boolean;
  ingest: IngestClient;
  clock: Clock;
  budget: Pick<LiveBudget, "readToday">;
  /** Null: unlimited. */
  liveCallsPerDay: number | null;
}

/** Routes of live scorers' ratings and of the usage of judge calls (completions 2.7, 9.5). */
export function liveJudgingRoutes(dependencies: LiveJudgingRouteDependencies): ServedRoute[] {
  return [
    { route: routes.readLiveRatings, handle: readLiveRatings(dependencies) },
    { route: routes.listLiveRatingEvents, handle: listLiveRatingEvents(dependencies) },
    { route: routes.readLiveCalibration, handle: readLiveCalibration(dependencies) },
    { route: routes.listTraceEvaluations, handle: listTraceEvaluations(dependencies) },
    { route: routes.listSessionScores, handle: listSessionScores(dependencies) },
    { route: routes.runSessionSweep, handle: runSessionSweep(dependencies) },
    { route: internalRoutes.readLiveUsage, handle: readLiveUsage(dependencies) },
  ];
}

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/ratings (completions 9.5). */
function readLiveRatings({ judgements, clock }: { judgements: JudgementReader; clock: Clock }): Handler {
  return async (call) => {
    const { projectId, scorerKey } = await requireScorerKey(call, judgements);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const buckets = await judgements.tally(projectId, scorerKey, stretchesOf(window, now));
    const body: z.input<typeof liveRatings> = { window, points: composePoints(window, now, buckets) };
    return { status: 200, body };
  };
}

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/events (completions 9.5): with the question and the answer. */
function listLiveRatingEvents({
  judgements,
  ingest,
  clock,
}: {
  judgements: JudgementReader;
  ingest: Pick<IngestClient, "readTrace">;
  clock: Clock;
}): Handler {
  return async (call) => {
    const { projectId, scorerKey } = await requireScorerKey(call, judgements);
    const window = readDashboardWindow(call.query.window);
    const page = readRatingsPage(call, stretchesOf(window, clock.now()).since);
    // One extra row shows if another page follows.
    const { total, ratings } = await judgements.listWorst(projectId, scorerKey, { ...page, limit: page.limit + 1 });
    const listed = ratings.slice(0, page.limit);
    const last = ratings.length > listed.length ? listed.at(-1) : undefined;
    const events = await Promise.all(
      listed.map(async ({ rating }) => {
        const trace = rating.traceId === null ? null : await ingest.readTrace(projectId, rating.traceId);
        return { ...rating, input: previewOf(trace?.input ?? null), output: previewOf(trace?.output ?? null) };
      }),
    );
    const body: z.input<typeof liveRatingEvents> = {
      window,
      totalCount: total,
      events,
      hasNextPage: last !== undefined,
      nextCursor: last === undefined ? null : writePosition(last.position),
    };
    return { status: 200, body };
  };
}

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/calibration (completions 14): for one live scorer. */
function readLiveCalibration(dependencies: {
  agreement: AgreementReader;
  judgements: JudgementReader;
  clock: Clock;
}): Handler {
  return async (call) => {
    const { projectId, scorerKey } = await requireScorerKey(call, dependencies.judgements);
    return { status: 200, body: await readAgreement(dependencies, projectId, scorerKey) };
  };
}

/** GET /agent-monitoring/traces/{traceId}/evaluations (completions 9.5). */
function listTraceEvaluations({ judgements }: { judgements: Pick<JudgementReader, "listOfTrace"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId = "" } = call.params;
    return {
      status: 200,
      body: { evaluations: isUuid(traceId) ? await judgements.listOfTrace(projectId, traceId) : [] },
    };
  };
}

/** GET /agent-monitoring/sessions/{sessionId}/scores (completions 2.7). */
function listSessionScores({ judgements }: { judgements: Pick<JudgementReader, "listOfSession"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { sessionId = "" } = call.params;
    // PostgreSQL text cannot contain NUL, so no session has such a name.
    const scores = sessionId.includes("\0") ? [] : await judgements.listOfSession(projectId, sessionId);
    return { status: 200, body: { scores } };
  };
}

/** POST /agent-monitoring/session-sweep/run (completions 2.7): judges the project's idle sessions now. */
function runSessionSweep({
  sessionSweep,
  sweepsSessions,
}: {
  sessionSweep: Pick<SessionSweep, "sweep">;
  sweepsSessions: boolean;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const judged = sweepsSessions ? await sessionSweep.sweep(projectId) : null;
    const body: z.input<typeof sessionSweepReply> = judged === null ? { judged: 0, skipped: true } : { judged };
    return { status: 200, body };
  };
}

/** A project's usage of the day's live judge calls, for the gateway's `GET /agent-monitoring/usage`. */
function readLiveUsage({
  budget,
  liveCallsPerDay,
}: {
  budget: Pick<LiveBudget, "readToday">;
  liveCallsPerDay: number | null;
}): Handler {
  return async (call) => {
    const { projectId } = internalRoutes.readLiveUsage.body.parse(await call.json());
    return { status: 200, body: { used: await budget.readToday(projectId), limit: liveCallsPerDay } };
  };
}

/** The key of the online evaluator or live group in the path. Throws 404 when there is none. */
async function requireScorerKey(
  call: Call,
  judgements: Pick<JudgementReader, "findScorerKey">,
): Promise<{ projectId: string; scorerKey: string }> {
  const projectId = requireProject(call);
  const scorerKey = await judgements.findScorerKey(projectId, call.params.onlineEvaluatorId ?? "");
  if (scorerKey === null) throw new AppError("not_found", "Online evaluator not found");
  return { projectId, scorerKey };
}
