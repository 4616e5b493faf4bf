import type { Bus, Consuming } from "@touchstone/bus";
import { sessionsJudged, tracesJudged } from "@touchstone/contracts";
import type { SessionVerdictStore } from "./session-verdict-store.ts";
import type { VerdictStore } from "./verdict-store.ts";

/** Consumes `event.trace.judged.v1`: lists and details then show the verdicts. */
export function consumeTracesJudged(bus: Bus, { verdicts }: { verdicts: VerdictStore }): Promise<Consuming> {
  return bus.consume(tracesJudged, { durable: "ingest-trace-judged" }, ({ traces }) => verdicts.keep(traces));
}

/** Consumes `event.session.judged.v1`: the list of sessions then shows the verdicts. */
export function consumeSessionsJudged(
  bus: Bus,
  { sessionVerdicts }: { sessionVerdicts: SessionVerdictStore },
): Promise<Consuming> {
  return bus.consume(sessionsJudged, { durable: "ingest-session-judged" }, ({ sessions }) =>
    sessionVerdicts.keep(sessions),
  );
}
