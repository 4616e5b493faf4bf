import { AppError, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { DeliveryLog } from "../../webhooks/delivery-log.ts";
import { renderDelivery } from "../../webhooks/render-webhook.ts";

/** POST /agent-monitoring/webhook-deliveries/{deliveryId}/replay: once more, under the same id and with all its tries. */
export function replayWebhookDelivery({ deliveries }: { deliveries: DeliveryLog }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = call.params.deliveryId ?? "";
    const delivery =
      isUuid(id) && (await deliveries.replay(projectId, id)) ? await deliveries.find(projectId, id) : null;
    if (delivery === null) throw new AppError("not_found", "Webhook delivery not found");
    return { status: 200, body: { delivery: renderDelivery(delivery) } };
  };
}
