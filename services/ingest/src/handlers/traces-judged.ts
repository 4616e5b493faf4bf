import type { Bus, Consuming } from "@touchstone/bus";
import { tracesJudged } from "@touchstone/contracts";
import type { VerdictStore } from "../judging/verdict-store.ts";

/** Consumes `event.trace.judged.v1`: from then on lists and details show what live judging says. */
export function consumeTracesJudged(bus: Bus, { verdicts }: { verdicts: VerdictStore }): Promise<Consuming> {
  return bus.consume(tracesJudged, { durable: "ingest-trace-judged" }, ({ traces }) => verdicts.keep(traces));
}
