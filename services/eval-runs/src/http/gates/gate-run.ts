import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { GateKeeper } from "../../gates/gate-keeper.ts";
import { readGateRequest } from "../../gates/gate-request.ts";

/** GET /custom-agent-evaluations/runs/{runId}/gate (completions 5.6): 200 whichever the verdict is. */
export function gateRun({ keeper }: { keeper: GateKeeper }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { runId = "" } = call.params;
    return { status: 200, body: await keeper.decide(projectId, runId, readGateRequest(call.query), call.signal) };
  };
}
