import { limits, webhookDeliveriesQuery } from "@touchstone/contracts";
import { AppError, type Call, type Handler, isUuid, requireProject } from "@touchstone/service-kit";
import type { DeliveryFilter, DeliveryLog } from "../../webhooks/delivery-log.ts";
import { renderDelivery } from "../../webhooks/render-webhook.ts";

/** GET /agent-monitoring/webhook-deliveries: newest first. */
export function listWebhookDeliveries({ deliveries }: { deliveries: DeliveryLog }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const filter = readFilter(call);
    // One more tells whether there are further ones.
    const found = filter === null ? [] : await deliveries.list(projectId, { ...filter, limit: filter.limit + 1 });
    const page = found.slice(0, filter?.limit);
    const nextCursor = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
    return { status: 200, body: { deliveries: page.map(renderDelivery), nextCursor } };
  };
}

/** Null: a webhook that cannot be there. */
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
  const asked = limit === undefined ? limits.webhookDeliveryPageDefault : Number(limit);
  if (!Number.isInteger(asked) || asked < 1) throw new AppError("bad_request", "limit must be a positive integer");
  if (webhookId !== null && !isUuid(webhookId)) return null;
  return { status, webhookId, limit: Math.min(asked, limits.webhookDeliveryPageMax), before: cursor };
}
