import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { renderWebhook } from "../../webhooks/render-webhook.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";

/** GET /agent-monitoring/webhooks: oldest first. */
export function listWebhooks({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const stored = await webhooks.list(requireProject(call));
    return { status: 200, body: { webhooks: stored.map(renderWebhook) } };
  };
}
