import { type customEvaluatorEvents, readDashboardWindow, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { EvaluatorEventReader } from "../../custom-evaluators/evaluator-event-reader.ts";
import type { EvaluatorStore } from "../../custom-evaluators/evaluator-store.ts";
import type { IngestClient } from "../../ingest-client.ts";
import { previewOf } from "../../model/preview.ts";
import { evaluatorIdOf, evaluatorNotFound } from "./evaluator-id.ts";

/** Each is a trace to be read. */
const eventsMax = 20;

/** GET /agent-monitoring/custom-evaluators/{customEvaluatorId}/events (completions 4.5). */
export function listCustomEvaluatorEvents(dependencies: {
  evaluators: Pick<EvaluatorStore, "find">;
  evaluatorEvents: EvaluatorEventReader;
  ingest: Pick<IngestClient, "readTrace">;
  clock: Clock;
}): Handler {
  const { evaluators, evaluatorEvents, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const evaluator = (await evaluators.find(projectId, evaluatorIdOf(call))) ?? evaluatorNotFound();
    const window = readDashboardWindow(call.query.window);
    const { since } = stretchesOf(window, clock.now());
    const said = await evaluatorEvents.listWorst(projectId, evaluator.id, { since, limit: eventsMax });
    const events = await Promise.all(
      said.map(async (event) => {
        const trace = event.traceId === null ? null : await ingest.readTrace(projectId, event.traceId);
        return { ...event, input: previewOf(trace?.input ?? null), output: previewOf(trace?.output ?? null) };
      }),
    );
    const body: z.input<typeof customEvaluatorEvents> = { window, events };
    return { status: 200, body };
  };
}
