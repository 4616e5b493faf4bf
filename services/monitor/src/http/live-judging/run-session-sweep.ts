import type { sessionSweepReply } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { SessionSweep } from "../../live-scorers/session-sweep.ts";

/** POST /agent-monitoring/session-sweep/run (completions 2.7): the project's idle sessions go to their judges now. */
export function runSessionSweep({
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
