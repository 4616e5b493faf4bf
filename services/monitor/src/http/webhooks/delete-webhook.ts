import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";
import { webhookId, webhookNotFound } from "./webhook-id.ts";

/** DELETE /agent-monitoring/webhooks/{webhookId}: what is on its way to it is given up; what was sent stays listed. */
export function deleteWebhook({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const isGone = await webhooks.delete(requireProject(call), webhookId(call), actOf(call.identity));
    return isGone ? { status: 204 } : webhookNotFound();
  };
}
