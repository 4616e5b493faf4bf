import { actOf, type Handler, type OutboundReach, readJsonObject, requireProject } from "@touchstone/service-kit";
import { composeWebhook } from "../../webhooks/compose-webhook.ts";
import { renderWebhook } from "../../webhooks/render-webhook.ts";
import { type SigningKeys, showSecret } from "../../webhooks/sign-message.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";

/** POST /agent-monitoring/webhooks (completions 10). The secret is shown here and at a rotation, and never again. */
export function createWebhook({
  webhooks,
  keys,
  reach,
}: {
  webhooks: WebhookStore;
  keys: SigningKeys;
  reach: OutboundReach;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const wishes = composeWebhook((await readJsonObject(call)).value, null, reach);
    const { webhook, salt } = await webhooks.create(projectId, wishes, actOf(call.identity));
    const secret = showSecret(keys.ofWebhook(projectId, webhook.id, salt));
    return { status: 201, body: { webhook: renderWebhook(webhook), secret } };
  };
}
