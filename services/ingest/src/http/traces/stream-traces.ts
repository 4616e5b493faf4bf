import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { LiveTail } from "../../live/live-tail.ts";
import { isPreview, readRootFilter } from "../../traces/read-root-filter.ts";

/** `GET /ingest/traces/stream`: root traces as they are stored, as server-sent events (completions 1.8). */
export function streamTraces({ liveTail }: { liveTail: LiveTail }): Handler {
  return async (call) => {
    const [lastEventId] = [call.headers["last-event-id"] ?? null].flat();
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const body = await liveTail.open({
      projectId,
      lastEventId: lastEventId || null,
      filter: readRootFilter(call.query),
      preview: isPreview(call.query) ? { projectId, organizationId } : null,
    });
    return { status: 200, body, contentType: "text/event-stream", headers: { "cache-control": "no-cache" } };
  };
}
