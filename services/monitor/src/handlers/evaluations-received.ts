import type { Bus, Consuming } from "@touchstone/bus";
import { evaluationsReceived } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { recordEvaluations } from "../verdicts/record-evaluations.ts";

/** Consumes `event.evaluation.received.v1`: keeps the grades that others gave of traces. */
export function consumeEvaluationsReceived(bus: Bus, { database }: { database: Database }): Promise<Consuming> {
  return bus.consume(evaluationsReceived, { durable: "monitor-evaluation-received" }, ({ evaluations }) =>
    recordEvaluations(database, evaluations),
  );
}
