import type { Handler } from "@touchstone/service-kit";
import type { TraceStore } from "../../spans/trace-store.ts";
import { joinJson, showSessionSpan } from "../../traces/show-trace.ts";
import { requireProject } from "../require-project.ts";

/**
 * `GET /ingest/sessions/{sessionId}/spans`: every span, root or child, of a session or an OTel trace, by start
 * (interface: sessions; completions 2.7). An unknown session has none.
 */
export function listSessionSpans({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const sessionId = call.params.sessionId ?? "";
    // PostgreSQL's text holds no NUL, so no session is named with one.
    const isStorable = !sessionId.includes("\0");
    const spans = isStorable ? await traces.listSessionSpans(requireProject(call.identity), sessionId) : [];
    const items = await Promise.all(spans.map(showSessionSpan));
    return { status: 200, body: Buffer.concat([Buffer.from('{"spans":'), joinJson(items), Buffer.from("}")]) };
  };
}
