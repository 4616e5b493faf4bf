import { isUuid, type WebhookEvent } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import type { Severity } from "../model/finding.ts";

/** An address that receives messages, with its subscriptions. */
export interface Webhook {
  id: string;
  url: string;
  description: string | null;
  events: readonly WebhookEvent[];
  minSeverity: Severity;
  /** Empty: every agent. */
  agentIds: readonly string[];
  enabled: boolean;
  /** Null: it was not disabled automatically. */
  disabledReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The members of a webhook that clients set. */
export type WebhookWishes = Pick<Webhook, "url" | "description" | "events" | "minSeverity" | "agentIds" | "enabled">;

/** From the least to the most severe. */
const severities: readonly Severity[] = ["low", "medium", "high", "critical"];

/** True if a webhook is subscribed to an event. */
export function isTold(
  webhook: Pick<Webhook, "events" | "minSeverity" | "agentIds">,
  { event, severity, agentId }: { event: WebhookEvent; severity: Severity; agentId: string | null },
): boolean {
  const isOfAgent = webhook.agentIds.length === 0 || (agentId !== null && webhook.agentIds.includes(agentId));
  const isSevere = severities.indexOf(severity) >= severities.indexOf(webhook.minSeverity);
  return isOfAgent && isSevere && webhook.events.includes(event);
}

/** The webhook in the path. Throws 404 for a malformed id. */
export function webhookId(call: Call): string {
  const id = call.params.webhookId ?? "";
  return isUuid(id) ? id : webhookNotFound();
}

export function webhookNotFound(): never {
  throw new AppError("not_found", "Webhook not found");
}
