import type { casePreview } from "@touchstone/contracts";
import { AppError, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient, Recorded } from "../../ingest-client.ts";

/**
 * POST /custom-agent-evaluations/datasets/case-preview (completions 3.3): the case that a recorded trace or session would
 * be. Its first turn asks, the later ones follow up. What the agent answered is shown, not expected: it may be wrong.
 */
export function previewCase({ ingest }: { ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const recorded = readRecorded((await readJsonObject(call)).value);
    const turns = await ingest.readTurns(projectId, recorded, call.identity.requestId);
    const [first, ...later] = turns.filter(({ query }) => query.trim() !== "");
    if (first === undefined) throw new AppError("not_found", "No usable turns found for that trace/session");
    const reply: z.input<typeof casePreview> = {
      case: {
        main_question: { query: first.query },
        follow_up_questions: later.map(({ query }) => ({ query })),
        source: recorded,
      },
      turns,
    };
    return { status: 200, body: reply };
  };
}

/** Of both the trace: it is the more exact one. */
function readRecorded({ traceId, sessionId }: Readonly<Record<string, unknown>>): Recorded {
  if (typeof traceId === "string" && traceId !== "") return { traceId };
  if (typeof sessionId === "string" && sessionId !== "") return { sessionId };
  throw new AppError("bad_request", "traceId or sessionId is required");
}
