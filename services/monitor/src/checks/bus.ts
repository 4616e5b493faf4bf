import type { Bus, Consuming } from "@touchstone/bus";
import { spansSettled, tracesSettled } from "@touchstone/contracts";
import type { CheckPlanner } from "./check-planner.ts";

/** Consumes `event.trace.settled.v1`: plans the live checks of traces that settled. */
export function consumeTracesSettled(bus: Bus, { planner }: { planner: CheckPlanner }): Promise<Consuming> {
  return bus.consume(tracesSettled, { durable: "monitor-trace-settled" }, ({ traces }) => planner.plan(traces));
}

/** Consumes `event.span.settled.v1`: plans the live checks of child spans, if ingest publishes them. */
export function consumeSpansSettled(bus: Bus, { planner }: { planner: CheckPlanner }): Promise<Consuming> {
  return bus.consume(spansSettled, { durable: "monitor-span-settled" }, ({ spans }) => planner.planChildren(spans));
}
