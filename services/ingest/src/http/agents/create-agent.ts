import { submittedAgent } from "@touchstone/contracts";
import { AppError, type Handler, requireProject } from "@touchstone/service-kit";
import type { AgentStore } from "../../agents/agent-store.ts";
import { showAgent } from "./show-agent.ts";

/** `POST /agents`: registers an agent; two may share a name (completions 9.1). */
export function createAgent({ agents }: { agents: AgentStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const submitted = submittedAgent.safeParse(await call.json());
    if (!submitted.success) {
      const [issue] = submitted.error.issues;
      const isGiven = issue?.code === "too_big" || issue?.code === "custom";
      throw new AppError("bad_request", isGiven ? issue.message : "name is required");
    }
    return { status: 201, body: { agent: showAgent(await agents.createAgent(projectId, submitted.data.name)) } };
  };
}
