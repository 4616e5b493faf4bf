import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { renderWebhook } from "../../webhooks/render-webhook.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";
import { webhookId, webhookNotFound } from "./webhook-id.ts";

/** GET /agent-monitoring/webhooks/{webhookId}. */
export function getWebhook({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const { webhook } = (await webhooks.find(requireProject(call), webhookId(call))) ?? webhookNotFound();
    return { status: 200, body: { webhook: renderWebhook(webhook) } };
  };
}
