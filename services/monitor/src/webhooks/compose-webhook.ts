import { type changedWebhook, webhookEvent } from "@touchstone/contracts";
import { AppError, type OutboundReach, type Parsed } from "@touchstone/service-kit";
import type { z } from "zod";
import { checkUrl } from "../model/check-url.ts";
import type { WebhookWishes } from "./webhook.ts";

/**
 * The new content of a webhook: sent members, else stored ones, else defaults. Throws `bad_request` for a forbidden address
 * (completions 10).
 */
export function composeWebhook(
  { url, description, events, minSeverity, agentIds, enabled }: Parsed<z.output<typeof changedWebhook>>,
  stored: WebhookWishes | null,
  reach: OutboundReach,
): WebhookWishes {
  return {
    url: url === undefined ? (stored?.url ?? "") : readAddress(url, reach),
    description: description === undefined ? (stored?.description ?? null) : description,
    events: events === undefined ? (stored?.events ?? webhookEvent.options) : [...new Set(events)],
    minSeverity: minSeverity ?? stored?.minSeverity ?? "low",
    agentIds: agentIds === undefined ? (stored?.agentIds ?? []) : [...new Set(agentIds)],
    enabled: enabled ?? stored?.enabled ?? true,
  };
}

function readAddress(url: string, reach: OutboundReach): string {
  const checked = checkUrl(url, reach);
  if ("href" in checked) return checked.href;
  const { refusal } = checked;
  throw new AppError("bad_request", `url: ${refusal.message}`, { cause: refusal });
}
