import type { WebhookEvent } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { Polarity, Severity } from "../model/finding.ts";
import { readProfileIn } from "../profiles/profile-store.ts";
import { composeMessage } from "../webhooks/compose-message.ts";
import { type NewDelivery, writeDeliveries } from "../webhooks/new-delivery-store.ts";
import type { PublicAddress } from "../webhooks/public-address.ts";
import { isTold } from "../webhooks/webhook.ts";
import { listWebhooksIn } from "../webhooks/webhook-store.ts";
import { noteAnnouncement } from "./announcement-store.ts";

/** A signal that was just raised or repeated. */
export interface AnnouncedSignal {
  projectId: string;
  id: string;
  patternKey: string;
  type: string;
  severity: Severity;
  polarity: Polarity;
  status: string;
  summary: string;
  rootCause: string | null;
  agentId: string | null;
  traceId: string | null;
  sessionId: string | null;
  occurrenceCount: number;
  /** It had been archived. */
  wasReopened: boolean;
  /** ISO 8601. */
  seenAt: string;
}

const channelPrefix = "webhook:";

/**
 * The only place that announces failures: called once per occurrence, in the transaction that records it, so that messages
 * match exactly what is stored. Writes a message for every webhook subscribed to it and for every `webhook:<url>` among the
 * channels of the agent's profile; at most once in 60 s per signal (completions 10).
 */
export async function announceSignal(
  transaction: Queryable,
  signal: AnnouncedSignal,
  publicAddress: PublicAddress | null,
): Promise<void> {
  const { projectId, agentId } = signal;
  const webhooks = await listWebhooksIn(transaction, projectId);
  const { channels = [] } = agentId === null ? {} : await readProfileIn(transaction, projectId, agentId);
  const event = eventOf(signal);
  const asking = webhooks.filter((webhook) => webhook.enabled && isTold(webhook, { event, ...signal }));
  const receivers = [
    ...asking.map(({ id, url }) => ({ webhookId: id, url })),
    ...addressesOf(channels).map((url) => ({ webhookId: null, url })),
  ];
  if (receivers.length === 0 || !(await noteAnnouncement(transaction, signal))) return;
  const createdAt = new Date();
  const deliveries = receivers.map(({ webhookId, url }): NewDelivery => {
    const id = uuidv7(createdAt.getTime());
    const body = composeMessage({ ...signal, id, event, signalId: signal.id, createdAt }, publicAddress);
    return { id, webhookId, url, event, signalId: signal.id, body };
  });
  await writeDeliveries(transaction, projectId, deliveries);
}

function eventOf({ occurrenceCount, wasReopened }: AnnouncedSignal): WebhookEvent {
  if (wasReopened) return "signal.reopened";
  return occurrenceCount === 1 ? "signal.new" : "signal.repeated";
}

/** The distinct addresses among a profile's channels. Invalid URLs are skipped. */
function addressesOf(channels: readonly string[]): string[] {
  const urls = channels.flatMap((channel) => {
    const url = channel.startsWith(channelPrefix) ? URL.parse(channel.slice(channelPrefix.length).trim()) : null;
    return url === null ? [] : [url.href];
  });
  return [...new Set(urls)];
}
