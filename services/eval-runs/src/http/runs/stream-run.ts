import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { requireRun } from "../../runs/require-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import type { RunStreams } from "../../runs/run-streams.ts";

/** GET /custom-agent-evaluations/runs/{runId}/stream: how the run gets on, as server-sent events (completions 1.8). */
export function streamRun({ runs, runStreams }: { runs: RunStore; runStreams: RunStreams }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const run = await requireRun(runs, projectId, call.params.runId);
    return {
      status: 200,
      body: runStreams.open(projectId, run.id),
      contentType: "text/event-stream",
      headers: { "cache-control": "no-cache" },
    };
  };
}
