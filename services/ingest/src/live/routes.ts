import { routes } from "@touchstone/contracts";
import { type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import { isPreview, readRootFilter } from "../traces/read-root-filter.ts";
import type { LiveTail } from "./live-tail.ts";

/** The live tail. */
export function liveRoutes(dependencies: { liveTail: LiveTail; reads(handle: Handler): Handler }): ServedRoute[] {
  const { reads } = dependencies;
  return [{ route: routes.streamTraces, handle: reads(streamTraces(dependencies)) }];
}

/** `GET /ingest/traces/stream`: root traces as they are stored, as server-sent events (completions 1.8). */
function streamTraces({ liveTail }: { liveTail: LiveTail }): Handler {
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
