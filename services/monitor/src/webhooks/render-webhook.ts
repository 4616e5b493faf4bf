import type { webhook, webhookDelivery } from "@touchstone/contracts";
import type { z } from "zod";
import type { LoggedDelivery } from "./delivery-log-store.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook as the API shows it: never with its secret. */
export function renderWebhook(stored: Webhook): z.input<typeof webhook> {
  return {
    _id: stored.id,
    url: stored.url,
    description: stored.description,
    events: [...stored.events],
    minSeverity: stored.minSeverity,
    agentIds: [...stored.agentIds],
    enabled: stored.enabled,
    disabledReason: stored.disabledReason,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}

/** A delivery as the API shows it. */
export function renderDelivery(stored: LoggedDelivery): z.input<typeof webhookDelivery> {
  const { status, settledAt } = stored;
  return {
    _id: stored.id,
    webhookId: stored.webhookId,
    url: stored.url,
    event: stored.event,
    signalId: stored.signalId,
    status,
    attempts: stored.attempts,
    nextAttemptAt: status === "pending" ? stored.dueAt.toISOString() : null,
    lastStatus: stored.lastStatus,
    lastError: stored.lastError,
    createdAt: stored.createdAt.toISOString(),
    deliveredAt: status === "delivered" && settledAt !== null ? settledAt.toISOString() : null,
    body: JSON.parse(stored.body),
  };
}
