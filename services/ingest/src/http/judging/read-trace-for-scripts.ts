import { scriptTraceQuery, type scriptTraceReply } from "@touchstone/contracts";
import { type Handler, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import { readScriptTrace } from "../../judging/read-script-trace.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";

/** Internal `readTraceForScripts`: an id that is none, and another project's, is as good as missing. */
export function readTraceForScripts({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const query = scriptTraceQuery.parse(await call.json());
    const trace = isUuid(query.traceId) ? await readScriptTrace(traces, query) : null;
    const reply: z.input<typeof scriptTraceReply> = { trace };
    return { status: 200, body: reply };
  };
}
