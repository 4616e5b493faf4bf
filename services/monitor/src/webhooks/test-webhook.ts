import { AppError, type Clock, type Handler, requireProject, uuidv7 } from "@touchstone/service-kit";
import { composeMessage } from "./compose-message.ts";
import type { DeliveryLog } from "./delivery-log-store.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";
import type { PublicAddress } from "./public-address.ts";
import { renderDelivery } from "./render-webhook.ts";
import { webhookId, webhookNotFound } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** POST /agent-monitoring/webhooks/{webhookId}/test: one try, also for a disabled webhook, and its outcome. */
export function testWebhook({
  webhooks,
  deliveries,
  deliveryWorker,
  publicAddress,
  clock,
}: {
  webhooks: WebhookStore;
  deliveries: DeliveryLog;
  deliveryWorker: Pick<DeliveryWorker, "sendNow">;
  publicAddress: PublicAddress | null;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { webhook } = (await webhooks.find(projectId, webhookId(call))) ?? webhookNotFound();
    const id = uuidv7(clock.now());
    const body = composeMessage(
      {
        id,
        projectId,
        event: "webhook.test",
        severity: "low",
        summary: "This is a test of the webhook.",
        patternKey: null,
        agentId: null,
        rootCause: null,
        traceId: null,
        sessionId: null,
        signalId: null,
        createdAt: new Date(clock.now()),
      },
      publicAddress,
    );
    const written = { id, webhookId: webhook.id, url: webhook.url, event: "webhook.test", signalId: null, body };
    await deliveries.write(projectId, written);
    await deliveryWorker.sendNow({ projectId, id, isOnly: true });
    // Missing: the webhook's project has the maximum number of pending messages.
    const delivery = await deliveries.find(projectId, id);
    if (delivery === null) throw new AppError("conflict", "Too many deliveries of the project are on their way");
    return { status: 200, body: { delivery: renderDelivery(delivery) } };
  };
}
