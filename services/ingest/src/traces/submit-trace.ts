import {
  AppError,
  type Call,
  decodeJsonText,
  type Handler,
  requireJson,
  requireProject,
  requireWorkspace,
} from "@touchstone/service-kit";
import type { AgentStore } from "../agents/agent-store.ts";
import { JsonSyntaxError, scanMembers } from "../model/scan-members.ts";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import { type Members, readSubmittedTrace } from "./submitted-trace.ts";

/** `POST /ingest/traces`: one agent run, committed before it is answered (interface: POST ingest/traces). */
export function submitTrace({ recorder, agents }: { recorder: SpanRecorder; agents: AgentStore }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { type, members } = await readBody(call);
    if (members !== null) requireWorkspace(call, workspaceIn(members));
    const { span, agent, monitor, patternIds } = refusingBadJson(() => readSubmittedTrace(type, members));

    const picked = agent === null ? null : await agents.findAgent(projectId, agent);
    if (agent !== null && picked === null) {
      throw new AppError("forbidden", "Agent not found in workspace or insufficient permissions");
    }
    const request = { projectId, agentId: picked?.id ?? null, monitor, patternIds };
    const [stored] = await recorder.record([span], request);
    if (stored === undefined) throw new Error("one span was recorded and none came back");
    return {
      status: 201,
      body: {
        trace_id: stored.id,
        traceId: stored.id,
        reference_agent_id: stored.agentId,
        // For old clients; ingest is synchronous.
        queued: false,
        deduped: stored.deduped,
      },
    };
  };
}

async function readBody(call: Call): Promise<ReturnType<typeof scanMembers>> {
  requireJson(call.headers["content-type"]);
  const text = decodeJsonText(await call.body());
  if (text.trim() === "") throw new AppError("body_unreadable", "The request body is empty; JSON is expected.");
  return refusingBadJson(() => scanMembers(text));
}

function refusingBadJson<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    throw new AppError("body_unreadable", cause.message, { cause });
  }
}

/** A value that is not text cannot be looked up. */
function workspaceIn(members: Members): unknown {
  const named = members.get("workspace_id") ?? members.get("workspaceId");
  return named === undefined ? undefined : named.type === "string" ? JSON.parse(named.text) : Number.NaN;
}
