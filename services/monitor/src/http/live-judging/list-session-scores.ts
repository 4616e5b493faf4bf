import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { JudgementReader } from "../../live-scorers/judgement-reader.ts";

/** GET /agent-monitoring/sessions/{sessionId}/scores (completions 2.7). */
export function listSessionScores({ judgements }: { judgements: Pick<JudgementReader, "listOfSession"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { sessionId = "" } = call.params;
    // PostgreSQL's text holds no NUL, so no session has such a name.
    const scores = sessionId.includes("\0") ? [] : await judgements.listOfSession(projectId, sessionId);
    return { status: 200, body: { scores } };
  };
}
