import { z } from "zod";
import { severity } from "./patterns.ts";
import { filledText, isStorable, withRules } from "./texts.ts";

/** The events of a webhook (completions 10). */
export const webhookEvent = z.enum(["signal.new", "signal.reopened", "signal.repeated", "gate.failed"]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

export const webhook = z.object({
  _id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(webhookEvent),
  minSeverity: severity,
  agentIds: z.array(z.string()).describe("Empty: of every agent"),
  enabled: z.boolean(),
  disabledReason: z.string().nullable().describe("Why it was disabled without being asked"),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Far more than there are: a longer list is refused before its items are read. */
const eventsMax = 100;

const members = z.object({
  url: z.string(),
  description: z.string().max(500).nullish(),
  events: z.array(webhookEvent).min(1).max(eventsMax).optional(),
  minSeverity: severity.optional(),
  agentIds: z.array(z.uuid()).max(100).optional(),
  enabled: z.boolean().optional(),
});
/** Body of `POST /agent-monitoring/webhooks`. */
export const submittedWebhook = withRules(members.extend({ url: filledText }), { description: isStorable });
/** Body of `PUT /agent-monitoring/webhooks/{webhookId}`: only what is sent changes. */
export const changedWebhook = withRules(members.partial(), { description: isStorable });

export const webhookSentences = {
  url: "url must be a string",
  description: "description must be a string of at most 500 characters",
  events: `events must be an array of: ${webhookEvent.options.join(", ")}`,
  minSeverity: "minSeverity must be one of: low, medium, high, critical",
  agentIds: "agentIds must be an array of at most 100 agent ids",
  enabled: "enabled must be a boolean",
} as const;

export const webhookParams = z.object({ webhookId: z.string() });
export const webhookReply = z.object({ webhook });
/** The only answer that contains the secret, besides the one to a rotation. */
export const webhookSecretReply = z.object({ webhook, secret: z.string().describe("whsec_ and 32 bytes as base64") });
export const webhookList = z.object({ webhooks: z.array(webhook) });

/** A message to a receiver: pending, delivered or given up. */
export const webhookDelivery = z.object({
  _id: z.string().describe("Sent to the receiver as `webhook-id`"),
  webhookId: z.string().nullable().describe("Null: to a channel of an agent's profile"),
  url: z.string(),
  event: z.string(),
  signalId: z.string().nullable(),
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.number().int(),
  nextAttemptAt: z.string().nullable(),
  lastStatus: z.number().int().nullable().describe("The last HTTP status of the receiver"),
  lastError: z.string().nullable(),
  createdAt: z.string(),
  deliveredAt: z.string().nullable(),
  body: z.json().describe("The body of the request"),
});
export const webhookDeliveryParams = z.object({ deliveryId: z.string() });
export const webhookDeliveryReply = z.object({ delivery: webhookDelivery });
export const webhookDeliveryList = z.object({
  deliveries: z.array(webhookDelivery),
  nextCursor: z.string().nullable(),
});
/** `limit`: default 50, at most 200. */
export const webhookDeliveriesQuery = z.object({
  status: z.enum(["pending", "delivered", "failed"]).optional(),
  webhookId: z.string().optional(),
  limit: z.string().optional(),
  cursor: z.string().optional().describe("The delivery to continue after; take it from nextCursor."),
});
