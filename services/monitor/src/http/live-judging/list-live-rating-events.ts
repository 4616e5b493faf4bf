import { type liveRatingEvents, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";
import { previewOf } from "../../model/preview.ts";
import { requireScorerKey } from "./require-scorer-key.ts";

/** Each is a trace to be read. */
const eventsMax = 20;

/** GET /monitor/online-evaluators/{onlineEvaluatorId}/events (completions 9.5): with what was asked and answered. */
export function listLiveRatingEvents({
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
    const { since } = stretchesOf(window, clock.now());
    const ratings = await judgements.listWorst(projectId, scorerKey, { since, limit: eventsMax });
    const events = await Promise.all(
      ratings.map(async (rating) => {
        const trace = rating.traceId === null ? null : await ingest.readTrace(projectId, rating.traceId);
        return { ...rating, input: previewOf(trace?.input ?? null), output: previewOf(trace?.output ?? null) };
      }),
    );
    const body: z.input<typeof liveRatingEvents> = { window, events };
    return { status: 200, body };
  };
}
