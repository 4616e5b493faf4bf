import { answerLines, type Handler, readSince, requireProject } from "@touchstone/service-kit";
import type { Agent } from "../../agents/agent-store.ts";
import type { AgentExportStore } from "../../export/agent-export-store.ts";

/** `GET /export/agents` (completions 13). */
export function exportAgents({ agentExports }: { agentExports: AgentExportStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const query = { projectId, sinceMs: readSince(call.query) };
    return answerLines<Agent>("agents", {
      readPage: (last) => agentExports.readPage(query, last?.id ?? null),
      render: ({ id, name, createdAt }) => JSON.stringify({ id, projectId, name, createdAt }),
    });
  };
}
