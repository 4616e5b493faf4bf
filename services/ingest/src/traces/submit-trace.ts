import {
  AppError,
  type Call,
  decodeInSlices,
  decodeJsonText,
  type Handler,
  refuseBadJson,
  requireJson,
  requireProject,
  requireWorkspace,
  runInSlices,
  type ScannedObject,
  scanMembers,
  scanMembersInSlices,
} from "@touchstone/service-kit";
import type { AgentStore } from "../agents/agent-store.ts";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import { type Members, readSubmittedTrace } from "./submitted-trace.ts";

/** A body of so many characters is scanned in slices: any smaller one takes a few milliseconds. */
const largeBodyChars = 262_144;

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

async function readBody(call: Call): Promise<ScannedObject> {
  requireJson(call.headers["content-type"]);
  const bytes = await call.body();
  const text = bytes.length < largeBodyChars ? decodeJsonText(bytes) : await runInSlices(decodeInSlices(bytes));
  if (text.trim() === "") throw new AppError("body_unreadable", "The request body is empty; JSON is expected.");
  // Only a large body is worth a signal, which is made when it is first read.
  if (text.length < largeBodyChars) return refusingBadJson(() => scanMembers(text));
  return await runInSlices(scanMembersInSlices(text), call.signal).catch(refuseBadJson);
}

function refusingBadJson<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    return refuseBadJson(cause);
  }
}

/** A value that is not text cannot be looked up. */
function workspaceIn(members: Members): unknown {
  const named = members.get("workspace_id") ?? members.get("workspaceId");
  return named === undefined ? undefined : named.type === "string" ? JSON.parse(named.text) : Number.NaN;
}
