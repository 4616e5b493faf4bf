import { type liveRatings, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";
import { composePoints } from "../../live-scorers/live-window.ts";
import { requireScorerKey } from "./require-scorer-key.ts";

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/ratings (completions 9.5). */
export function readLiveRatings({ judgements, clock }: { judgements: JudgementReader; clock: Clock }): Handler {
  return async (call) => {
    const { projectId, scorerKey } = await requireScorerKey(call, judgements);
    const window = readDashboardWindow(call.query.window);
    const now = clock.now();
    const buckets = await judgements.tally(projectId, scorerKey, stretchesOf(window, now));
    const body: z.input<typeof liveRatings> = { window, points: composePoints(window, now, buckets) };
    return { status: 200, body };
  };
}
