import { createHash } from "node:crypto";
import type { Bus, Consuming } from "@touchstone/bus";
import { gateRecorded, type RecordedGateEvent } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { isProjectDeleted } from "@touchstone/service-kit";
import { composeMessage } from "./compose-message.ts";
import { type NewDelivery, writeDeliveries } from "./new-delivery-store.ts";
import type { PublicAddress } from "./public-address.ts";
import { isTold } from "./webhook.ts";
import { listWebhooksIn } from "./webhook-store.ts";

const event = "gate.failed";
const severity = "high";

/** Writes a message for every webhook subscribed to failed gates (completions 10); once per gate and webhook. */
async function announceFailedGate(
  transaction: Queryable,
  gate: RecordedGateEvent,
  publicAddress: PublicAddress | null,
): Promise<void> {
  const webhooks = await listWebhooksIn(transaction, gate.projectId);
  const asking = webhooks.filter((each) => each.enabled && isTold(each, { event, severity, agentId: null }));
  const deliveries = asking.map(({ id: webhookId, url }): NewDelivery => {
    const id = idFor(gate.gateId, webhookId);
    const message = {
      ...({ id, event, severity, agentId: null, traceId: null, sessionId: null, signalId: null } as const),
      projectId: gate.projectId,
      runId: gate.runId,
      patternKey: `gate:${gate.datasetId}`,
      summary: `A gate failed: run ${gate.runId}`,
      rootCause: gate.failedChecks.join(" "),
      createdAt: new Date(gate.recordedAt),
    };
    return { id, webhookId, url, event, signalId: null, body: composeMessage(message, publicAddress) };
  });
  await writeDeliveries(transaction, gate.projectId, deliveries);
}

/** The same id whenever the event is redelivered; ordered in time like the gate, whose id begins with its time. */
function idFor(gateId: string, webhookId: string): string {
  const hash = createHash("sha256").update(`${gateId} ${webhookId}`).digest("hex");
  return `${gateId.slice(0, 15)}${hash.slice(0, 3)}-a${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

/** Consumes `event.gate.recorded.v1`: announces a failed gate to webhooks, once however often the event arrives. */
export function consumeGateRecorded(
  bus: Bus,
  { database, publicAddress }: { database: Database; publicAddress: PublicAddress | null },
): Promise<Consuming> {
  return bus.consume(gateRecorded, { durable: "monitor-gate-recorded" }, async (gate) => {
    if (gate.passed) return;
    try {
      await database.scoped([gate.projectId], (transaction) => announceFailedGate(transaction, gate, publicAddress));
    } catch (thrown) {
      if (!isProjectDeleted(thrown)) throw thrown;
    }
  });
}
