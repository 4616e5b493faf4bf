import type { Bus, Consuming } from "@touchstone/bus";
import { tracesSettled } from "@touchstone/contracts";
import type { CheckPlanner } from "../checks/check-planner.ts";

/** Consumes `event.trace.settled.v1`: plans the live checks of traces that settled. */
export function consumeTracesSettled(bus: Bus, { planner }: { planner: CheckPlanner }): Promise<Consuming> {
  return bus.consume(tracesSettled, { durable: "monitor-trace-settled" }, ({ traces }) => planner.plan(traces));
}
