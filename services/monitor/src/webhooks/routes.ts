import { isUuid, limits, routes, webhookDeliveriesQuery } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Clock,
  type Handler,
  type OutboundReach,
  parseBody,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import { readCappedCount } from "../model/read-page.ts";
import { composeWebhook } from "./compose-webhook.ts";
import type { DeliveryFilter, DeliveryLog } from "./delivery-log-store.ts";
import type { DeliveryWorker } from "./delivery-worker.ts";
import type { PublicAddress } from "./public-address.ts";
import { renderDelivery, renderWebhook } from "./render-webhook.ts";
import { type SigningKeys, showSecret } from "./sign-message.ts";
import { testWebhook } from "./test-webhook.ts";
import { type WebhookWishes, webhookId, webhookNotFound } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface WebhookRouteDependencies {
  webhooks: WebhookStore;
  deliveries: DeliveryLog;
  deliveryWorker: Pick<DeliveryWorker, "sendNow">;
  keys: SigningKeys;
  /** The addresses that users may configure. */
  reach: OutboundReach;
  publicAddress: PublicAddress | null;
  clock: Clock;
}

/** Routes of webhooks and their messages (completions 10). */
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

/** POST /agent-monitoring/webhooks (completions 10). The secret is shown only here and at a rotation. */
function createWebhook({
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
    const wishes = composeWebhook(
      parseBody((await readJsonObject(call)).value, routes.createWebhook.body),
      null,
      reach,
    );
    const { webhook, salt } = await webhooks.create(projectId, wishes, actOf(call.identity));
    const secret = showSecret(keys.ofWebhook(projectId, webhook.id, salt));
    return { status: 201, body: { webhook: renderWebhook(webhook), secret } };
  };
}

/** GET /agent-monitoring/webhooks: oldest first. */
function listWebhooks({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const stored = await webhooks.list(requireProject(call));
    return { status: 200, body: { webhooks: stored.map(renderWebhook) } };
  };
}

/** GET /agent-monitoring/webhooks/{webhookId}. */
function getWebhook({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const { webhook } = (await webhooks.find(requireProject(call), webhookId(call))) ?? webhookNotFound();
    return { status: 200, body: { webhook: renderWebhook(webhook) } };
  };
}

/** PUT /agent-monitoring/webhooks/{webhookId}: changes only the members that were sent. */
function updateWebhook({ webhooks, reach }: { webhooks: WebhookStore; reach: OutboundReach }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const sent = (await readJsonObject(call)).value;
    const compose = (stored: WebhookWishes) =>
      composeWebhook(parseBody(sent, routes.updateWebhook.body), stored, reach);
    const changed = await webhooks.change(projectId, webhookId(call), compose, actOf(call.identity));
    return { status: 200, body: { webhook: renderWebhook(changed ?? webhookNotFound()) } };
  };
}

/** DELETE /agent-monitoring/webhooks/{webhookId}: its pending messages are given up; sent ones stay listed. */
function deleteWebhook({ webhooks }: { webhooks: WebhookStore }): Handler {
  return async (call) => {
    const isGone = await webhooks.delete(requireProject(call), webhookId(call), actOf(call.identity));
    return isGone ? { status: 204 } : webhookNotFound();
  };
}

/** POST /agent-monitoring/webhooks/{webhookId}/rotate-secret: for a day the previous secret signs as well. */
function rotateWebhookSecret({ webhooks, keys }: { webhooks: WebhookStore; keys: SigningKeys }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const rotated = await webhooks.rotate(projectId, webhookId(call), actOf(call.identity));
    const { webhook, salt } = rotated ?? webhookNotFound();
    const secret = showSecret(keys.ofWebhook(projectId, webhook.id, salt));
    return { status: 200, body: { webhook: renderWebhook(webhook), secret } };
  };
}

/** GET /agent-monitoring/webhook-deliveries: newest first. */
function listWebhookDeliveries({ deliveries }: { deliveries: DeliveryLog }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const filter = readFilter(call);
    // One extra row shows if another page follows.
    const found = filter === null ? [] : await deliveries.list(projectId, { ...filter, limit: filter.limit + 1 });
    const page = found.slice(0, filter?.limit);
    const nextCursor = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
    return { status: 200, body: { deliveries: page.map(renderDelivery), nextCursor } };
  };
}

/** Null: a webhook id that cannot exist. */
function readFilter({ query }: Pick<Call, "query">): DeliveryFilter | null {
  const read = webhookDeliveriesQuery.safeParse(query);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]);
    const sentence =
      member === "status" ? "status must be one of: pending, delivered, failed" : `${member} must be given once`;
    throw new AppError("bad_request", sentence, { cause: read.error });
  }
  const { status = null, webhookId = null, limit, cursor = null } = read.data;
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", "cursor must be the id of a delivery");
  const page = { byDefault: limits.webhookDeliveryPageDefault, max: limits.webhookDeliveryPageMax };
  const count = readCappedCount("limit", limit, page);
  if (webhookId !== null && !isUuid(webhookId)) return null;
  return { status, webhookId, limit: count, before: cursor };
}

/**
 * POST /agent-monitoring/webhook-deliveries/{deliveryId}/replay: sends it again, with the same id and all its tries.
 */
function replayWebhookDelivery({ deliveries }: { deliveries: DeliveryLog }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = call.params.deliveryId ?? "";
    const delivery =
      isUuid(id) && (await deliveries.replay(projectId, id)) ? await deliveries.find(projectId, id) : null;
    if (delivery === null) throw new AppError("not_found", "Webhook delivery not found");
    return { status: 200, body: { delivery: renderDelivery(delivery) } };
  };
}
