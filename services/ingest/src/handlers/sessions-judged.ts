import type { Bus, Consuming } from "@touchstone/bus";
import { sessionsJudged } from "@touchstone/contracts";
import type { SessionVerdictStore } from "../judging/session-verdict-store.ts";

/** Consumes `event.session.judged.v1`: from then on the list of sessions shows what live judging says. */
export function consumeSessionsJudged(
  bus: Bus,
  { sessionVerdicts }: { sessionVerdicts: SessionVerdictStore },
): Promise<Consuming> {
  return bus.consume(sessionsJudged, { durable: "ingest-session-judged" }, ({ sessions }) =>
    sessionVerdicts.keep(sessions),
  );
}
