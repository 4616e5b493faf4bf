import type { Bus, Consuming } from "@touchstone/bus";
import { type StoredTrace, tracesStored } from "@touchstone/contracts";
import type { SeenTraceStore } from "./trace-store.ts";

/** Consumes `event.traces.stored.v1`: records each new root trace exactly once, and checks those that request it. */
export function consumeTracesStored(
  bus: Bus,
  {
    seenTraces,
    planAtOnce,
  }: { seenTraces: SeenTraceStore; planAtOnce: (traces: readonly StoredTrace[]) => Promise<void> },
): Promise<Consuming> {
  return bus.consume(tracesStored, { durable: "monitor-traces-stored" }, async ({ traces }) => {
    await seenTraces.recordTraces(traces);
    await planAtOnce(traces);
  });
}
