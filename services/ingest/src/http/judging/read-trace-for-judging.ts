import { judgedTraceQuery, type judgedTraceReply } from "@touchstone/contracts";
import { type Handler, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import { readJudgedTrace } from "../../judging/read-judged-trace.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";

/** Internal `readTraceForJudging`: an id that is none, and another project's, is as good as missing. */
export function readTraceForJudging({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const query = judgedTraceQuery.parse(await call.json());
    const trace = isUuid(query.traceId) ? await readJudgedTrace(traces, query) : null;
    const reply: z.input<typeof judgedTraceReply> = { trace };
    return { status: 200, body: reply };
  };
}
