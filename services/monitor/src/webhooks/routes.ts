import { routes } from "@touchstone/contracts";
import type { Clock, OutboundReach, ServedRoute } from "@touchstone/service-kit";
import { createWebhook } from "../http/webhooks/create-webhook.ts";
import { deleteWebhook } from "../http/webhooks/delete-webhook.ts";
import { getWebhook } from "../http/webhooks/get-webhook.ts";
import { listWebhookDeliveries } from "../http/webhooks/list-webhook-deliveries.ts";
import { listWebhooks } from "../http/webhooks/list-webhooks.ts";
import { replayWebhookDelivery } from "../http/webhooks/replay-webhook-delivery.ts";
import { rotateWebhookSecret } from "../http/webhooks/rotate-webhook-secret.ts";
import { updateWebhook } from "../http/webhooks/update-webhook.ts";
import type { DeliveryLog } from "./delivery-log.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";
import type { PublicAddress } from "./public-address.ts";
import type { SigningKeys } from "./sign-message.ts";
import { testWebhook } from "./test-webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface WebhookRouteDependencies {
  webhooks: WebhookStore;
  deliveries: DeliveryLog;
  deliveryWorker: Pick<DeliveryWorker, "sendNow">;
  keys: SigningKeys;
  /** What users' addresses may lead to. */
  reach: OutboundReach;
  publicAddress: PublicAddress | null;
  clock: Clock;
}

/** Webhooks and what was sent to them (completions 10). */
export function webhookRoutes(dependencies: WebhookRouteDependencies): ServedRoute[] {
  return [
    { route: routes.createWebhook, handle: createWebhook(dependencies) },
    { route: routes.listWebhooks, handle: listWebhooks(dependencies) },
    { route: routes.getWebhook, handle: getWebhook(dependencies) },
    { route: routes.updateWebhook, handle: updateWebhook(dependencies) },
    { route: routes.deleteWebhook, handle: deleteWebhook(dependencies) },
    { route: routes.rotateWebhookSecret, handle: rotateWebhookSecret(dependencies) },
    { route: routes.testWebhook, handle: testWebhook(dependencies) },
    { route: routes.listWebhookDeliveries, handle: listWebhookDeliveries(dependencies) },
    { route: routes.replayWebhookDelivery, handle: replayWebhookDelivery(dependencies) },
  ];
}
