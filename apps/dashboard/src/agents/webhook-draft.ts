import type { Severity } from "../blocks/severities.ts";
import type { Webhook } from "./queries.ts";

export type WebhookEvent = Webhook["events"][number];

export const eventNames: Record<WebhookEvent, string> = {
  "signal.new": "New signal",
  "signal.reopened": "An archived one came back",
  "signal.repeated": "Seen again",
  "gate.failed": "A gate failed",
};

export const events = Object.keys(eventNames) as WebhookEvent[];

/** A webhook in the form. */
export interface WebhookDraft {
  url: string;
  description: string;
  events: readonly WebhookEvent[];
  minSeverity: Severity;
  agentIds: readonly string[];
  enabled: boolean;
}

export const emptyWebhook: WebhookDraft = {
  url: "",
  description: "",
  events,
  minSeverity: "low",
  agentIds: [],
  enabled: true,
};

export function draftOfWebhook(webhook: Webhook): WebhookDraft {
  const { url, description, events: told, minSeverity, agentIds, enabled } = webhook;
  return { url, description: description ?? "", events: told, minSeverity, agentIds, enabled };
}

export function bodyOfWebhook({ url, description, events: told, agentIds, ...plain }: WebhookDraft) {
  return {
    ...plain,
    url: url.trim(),
    description: description.trim() === "" ? null : description.trim(),
    events: [...told],
    agentIds: [...agentIds],
  };
}

/** The missing fields for saving, as text. */
export function missingOfWebhook({ url, events: told }: WebhookDraft): string | undefined {
  if (!/^https?:\/\/\S+$/.test(url.trim())) return "The address begins with https:// or http://.";
  return told.length === 0 ? "Choose at least one event." : undefined;
}
