import { turnsQuery, type turnsReply } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { z } from "zod";
import { readTurns as readRecordedTurns } from "../../judging/read-turns.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import type { TraceStore } from "../../trace-store/trace-store.ts";

/** The question of eval-runs when a trace or session is to become a case. */
export function readTurns(stores: { traces: TraceStore; sessions: Pick<SessionStore, "findRoots"> }): Handler {
  return async (call) => {
    const query = turnsQuery.parse(await call.json());
    const reply: z.input<typeof turnsReply> = { turns: await readRecordedTurns(stores, query) };
    return { status: 200, body: reply };
  };
}
