import { changedWebhook, webhookEvent } from "@touchstone/contracts";
import { AppError, OutboundError, type OutboundReach, readOutboundUrl } from "@touchstone/service-kit";
import type { WebhookWishes } from "./webhook.ts";

type Sent = Readonly<Record<string, unknown>>;

const rules: Readonly<Record<string, string>> = {
  url: "url must be a string",
  description: "description must be a string of at most 500 characters",
  events: `events must be an array of: ${webhookEvent.options.join(", ")}`,
  minSeverity: "minSeverity must be one of: low, medium, high, critical",
  agentIds: "agentIds must be an array of at most 100 agent ids",
  enabled: "enabled must be a boolean",
};

/**
 * What a webhook becomes: what was sent, else what is stored, else the default. Throws `bad_request` for the first
 * mistake, and for an address that is never called (completions 10).
 */
export function composeWebhook(sent: Sent, stored: WebhookWishes | null, reach: OutboundReach): WebhookWishes {
  if (stored === null && (typeof sent.url !== "string" || sent.url.trim() === "")) {
    throw new AppError("bad_request", "url is required");
  }
  const read = changedWebhook.safeParse(sent);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    throw new AppError("bad_request", rules[member] ?? `${member} cannot be taken`, { cause: read.error });
  }
  const { url, description, events, minSeverity, agentIds, enabled } = read.data;
  if (typeof description === "string" && (!description.isWellFormed() || description.includes("\0"))) {
    throw new AppError("bad_request", rules.description as string);
  }
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
  try {
    return readOutboundUrl(url, reach).href;
  } catch (err) {
    if (!(err instanceof OutboundError)) throw err;
    throw new AppError("bad_request", `url: ${err.message}`, { cause: err });
  }
}
