import type { Handler } from "@touchstone/service-kit";
import type { LiveTail } from "../../live/live-tail.ts";
import { requireProject } from "../require-project.ts";
import { readFrameworkAndSource } from "./root-filter.ts";

/** `GET /ingest/traces/stream`: root traces as they are stored, as server-sent events (decisions: Streams). */
export function streamTraces({ liveTail }: { liveTail: LiveTail }): Handler {
  return async (call) => {
    const [lastEventId] = [call.headers["last-event-id"] ?? null].flat();
    const body = await liveTail.open({
      projectId: requireProject(call.identity),
      lastEventId: lastEventId || null,
      filter: readFrameworkAndSource(call.query),
    });
    return { status: 200, body, contentType: "text/event-stream", headers: { "cache-control": "no-cache" } };
  };
}
