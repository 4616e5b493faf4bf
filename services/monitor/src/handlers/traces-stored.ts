import type { Bus, Consuming } from "@touchstone/bus";
import { tracesStored } from "@touchstone/contracts";
import type { SeenTraceStore } from "../seen-traces/seen-trace-store.ts";

/** Consumes `event.traces.stored.v1`: records each new root trace exactly once. */
export function consumeTracesStored(bus: Bus, dependencies: { seenTraces: SeenTraceStore }): Promise<Consuming> {
  return bus.consume(tracesStored, { durable: "monitor-traces-stored" }, async ({ traces }) => {
    await dependencies.seenTraces.recordTraces(traces);
  });
}
