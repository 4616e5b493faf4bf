import { routes } from "@touchstone/contracts";
import type { Clock, OutboundReach, ServedRoute } from "@touchstone/service-kit";
import type { DeliveryLog } from "../../webhooks/delivery-log.ts";
import type { DeliveryWorker } from "../../webhooks/delivery-worker.ts";
import type { PublicAddress } from "../../webhooks/public-address.ts";
import type { SigningKeys } from "../../webhooks/sign-message.ts";
import type { WebhookStore } from "../../webhooks/webhook-store.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { getWebhook } from "./get-webhook.ts";
import { listWebhookDeliveries } from "./list-webhook-deliveries.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { replayWebhookDelivery } from "./replay-webhook-delivery.ts";
import { rotateWebhookSecret } from "./rotate-webhook-secret.ts";
import { testWebhook } from "./test-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";

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
