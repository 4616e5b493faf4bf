import type { Bus, Consuming } from "@touchstone/bus";
import { gateRecorded } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { announceFailedGate } from "../webhooks/announce-failed-gate.ts";
import type { PublicAddress } from "../webhooks/public-address.ts";

/** Consumes `event.gate.recorded.v1`: a gate that failed is told to webhooks, however often the event comes. */
export function consumeGateRecorded(
  bus: Bus,
  { database, publicAddress }: { database: Database; publicAddress: PublicAddress | null },
): Promise<Consuming> {
  return bus.consume(gateRecorded, { durable: "monitor-gate-recorded" }, async (gate) => {
    if (gate.passed) return;
    await database.scoped([gate.projectId], (transaction) => announceFailedGate(transaction, gate, publicAddress));
  });
}
