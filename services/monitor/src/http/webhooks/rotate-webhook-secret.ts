import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import { renderWebhook } from "../../webhooks/render-webhook.ts";
import { type SigningKeys, showSecret } from "../../webhooks/sign-message.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";
import { webhookId, webhookNotFound } from "./webhook-id.ts";

/** POST /agent-monitoring/webhooks/{webhookId}/rotate-secret: for a day the secret before signs as well. */
export function rotateWebhookSecret({ webhooks, keys }: { webhooks: WebhookStore; keys: SigningKeys }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const rotated = await webhooks.rotate(projectId, webhookId(call), actOf(call.identity));
    const { webhook, salt } = rotated ?? webhookNotFound();
    const secret = showSecret(keys.ofWebhook(projectId, webhook.id, salt));
    return { status: 200, body: { webhook: renderWebhook(webhook), secret } };
  };
}
