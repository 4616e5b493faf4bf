import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { AgreementReader } from "../dashboards/agreement-reader.ts";
import { listLiveRatingEvents } from "../http/live-judging/list-live-rating-events.ts";
import { listSessionScores } from "../http/live-judging/list-session-scores.ts";
import { listTraceEvaluations } from "../http/live-judging/list-trace-evaluations.ts";
import { readLiveCalibration } from "../http/live-judging/read-live-calibration.ts";
import { readLiveRatings } from "../http/live-judging/read-live-ratings.ts";
import { runSessionSweep } from "../http/live-judging/run-session-sweep.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { JudgementReader } from "./judgement-reader.ts";
import type { SessionSweep } from "./session-sweep.ts";

export interface LiveJudgingRouteDependencies {
  judgements: JudgementReader;
  agreement: AgreementReader;
  sessionSweep: Pick<SessionSweep, "sweep">;
  /** Whether idle sessions are judged at all. */
  sweepsSessions: boolean;
  ingest: IngestClient;
  clock: Clock;
}

/** What live scorers said (completions 2.7, 9.5). */
export function liveJudgingRoutes(dependencies: LiveJudgingRouteDependencies): ServedRoute[] {
  return [
    { route: routes.readLiveRatings, handle: readLiveRatings(dependencies) },
    { route: routes.listLiveRatingEvents, handle: listLiveRatingEvents(dependencies) },
    { route: routes.readLiveCalibration, handle: readLiveCalibration(dependencies) },
    { route: routes.listTraceEvaluations, handle: listTraceEvaluations(dependencies) },
    { route: routes.listSessionScores, handle: listSessionScores(dependencies) },
    { route: routes.runSessionSweep, handle: runSessionSweep(dependencies) },
  ];
}
