import type { Bus, Consuming } from "@touchstone/bus";
import { tracesStored } from "@touchstone/contracts";
import type { PlanAtOnce } from "../patterns/plan-at-once.ts";
import type { SeenTraceStore } from "../traces/trace-store.ts";

/** Consumes `event.traces.stored.v1`: records each new root trace exactly once, and has checked what asks for it. */
export function consumeTracesStored(
  bus: Bus,
  { seenTraces, planAtOnce }: { seenTraces: SeenTraceStore; planAtOnce: PlanAtOnce },
): Promise<Consuming> {
  return bus.consume(tracesStored, { durable: "monitor-traces-stored" }, async ({ traces }) => {
    await seenTraces.recordTraces(traces);
    await planAtOnce(traces);
  });
}
