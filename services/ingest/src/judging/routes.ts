import {
  internalRoutes,
  isUuid,
  judgedTraceQuery,
  type judgedTraceReply,
  scriptTraceQuery,
  type scriptTraceReply,
  traceOutputsQuery,
  type traceOutputsReply,
  turnsQuery,
  type turnsReply,
} from "@touchstone/contracts";
import type { Handler, ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { SessionStore } from "../trace-store/reading/session-store.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import { readJudgedTrace } from "./read-judged-trace.ts";
import { readScriptTrace } from "./read-script-trace.ts";
import { readTraceOutputs } from "./read-trace-outputs.ts";
import { readTurns as readRecordedTurns } from "./read-turns.ts";

/** Serves traces and sessions in the form that judges and scripts read. */
export function judgingRoutes(dependencies: {
  traces: TraceStore;
  sessions: Pick<SessionStore, "findRoots">;
  onceReady(handle: Handler): Handler;
}): ServedRoute[] {
  const { onceReady } = dependencies;
  return [
    { route: internalRoutes.readTraceForJudging, handle: onceReady(readTraceForJudging(dependencies)) },
    { route: internalRoutes.readTraceOutputs, handle: onceReady(answerOutputs(dependencies)) },
    { route: internalRoutes.readTraceForScripts, handle: onceReady(readTraceForScripts(dependencies)) },
    { route: internalRoutes.readTurns, handle: onceReady(readTurns(dependencies)) },
  ];
}

/** Internal `readTraceForJudging`: an invalid id and another project's id count as missing. */
function readTraceForJudging({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const query = judgedTraceQuery.parse(await call.json());
    const trace = isUuid(query.traceId) ? await readJudgedTrace(traces, query, call.signal) : null;
    const reply: z.input<typeof judgedTraceReply> = { trace };
    return { status: 200, body: reply };
  };
}

/** Internal `readTraceForScripts`: an invalid id and another project's id count as missing. */
function readTraceForScripts({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const query = scriptTraceQuery.parse(await call.json());
    const trace = isUuid(query.traceId) ? await readScriptTrace(traces, query) : null;
    const reply: z.input<typeof scriptTraceReply> = { trace };
    return { status: 200, body: reply };
  };
}

/** Answers eval-runs when it shows or judges results whose output came with a trace. */
function answerOutputs({ traces }: { traces: TraceStore }): Handler {
  return async (call) => {
    const query = traceOutputsQuery.parse(await call.json());
    const reply: z.input<typeof traceOutputsReply> = { outputs: await readTraceOutputs(traces, query) };
    return { status: 200, body: reply };
  };
}

/** Answers eval-runs when a trace or session becomes a case. */
function readTurns(stores: { traces: TraceStore; sessions: Pick<SessionStore, "findRoots"> }): Handler {
  return async (call) => {
    const query = turnsQuery.parse(await call.json());
    const reply: z.input<typeof turnsReply> = { turns: await readRecordedTurns(stores, query) };
    return { status: 200, body: reply };
  };
}
