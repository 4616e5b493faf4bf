import type { Bus, Consuming } from "@touchstone/bus";
import { spansSettled } from "@touchstone/contracts";
import type { CheckPlanner } from "../checks/check-planner.ts";

/** Consumes `event.span.settled.v1`: plans the live checks of child spans, where ingest tells of them. */
export function consumeSpansSettled(bus: Bus, { planner }: { planner: CheckPlanner }): Promise<Consuming> {
  return bus.consume(spansSettled, { durable: "monitor-span-settled" }, ({ spans }) => planner.planChildren(spans));
}
