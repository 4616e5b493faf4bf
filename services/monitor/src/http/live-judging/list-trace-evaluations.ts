import { type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";

/** GET /agent-monitoring/traces/{traceId}/evaluations (completions 9.5). */
export function listTraceEvaluations({ judgements }: { judgements: Pick<JudgementReader, "listOfTrace"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { traceId = "" } = call.params;
    return {
      status: 200,
      body: { evaluations: isUuid(traceId) ? await judgements.listOfTrace(projectId, traceId) : [] },
    };
  };
}
