import { actOf, type Handler, type OutboundReach, readJsonObject, requireProject } from "@touchstone/service-kit";
import { composeWebhook } from "../../webhooks/compose-webhook.ts";
import { renderWebhook } from "../../webhooks/render-webhook.ts";
import type { WebhookWishes } from "../../webhooks/webhook.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";
import { webhookId, webhookNotFound } from "./webhook-id.ts";

/** PUT /agent-monitoring/webhooks/{webhookId}: only what is sent changes. */
export function updateWebhook({ webhooks, reach }: { webhooks: WebhookStore; reach: OutboundReach }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const compose = (stored: WebhookWishes) => composeWebhook(sent, stored, reach);
    const changed = await webhooks.change(projectId, webhookId(call), compose, actOf(call.identity));
    return { status: 200, body: { webhook: renderWebhook(changed ?? webhookNotFound()) } };
  };
}
