import { limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";

/** A message to send to one receiver. */
export interface NewDelivery {
  id: string;
  /** Null: to a channel of a profile. */
  webhookId: string | null;
  url: string;
  event: string;
  signalId: string | null;
  body: string;
}

/** The time reserved for a writer that sends its message immediately; afterwards any worker may take it. */
const ownMs = 30_000;

/**
 * Writes messages that are due now, or a little later if the caller sends them immediately. Writes none while the project has
 * the maximum number pending: a receiver that was unavailable for long does not receive everything.
 */
export async function writeDeliveries(
  transaction: Queryable,
  projectId: string,
  deliveries: readonly NewDelivery[],
  { isSentAtOnce = false }: { isSentAtOnce?: boolean } = {},
): Promise<void> {
  if (deliveries.length === 0) return;
  await transaction.query({
    name: "webhook_deliveries_write",
    text: `
      insert into monitor.webhook_deliveries (project_id, id, webhook_id, url, host, event, signal_id, body, due_at)
      select $1, id, webhook_id, url, host, event, signal_id, body, now() + $10 * interval '1 millisecond'
      from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[])
        as told (id, webhook_id, url, host, event, signal_id, body)
      where (
        select count(*)
        from (
          select
          from monitor.webhook_deliveries
          where project_id = $1
            and status = 'pending'
          limit $9
        ) as waiting
      ) < $9
      on conflict (project_id, id) do nothing`,
    values: [
      projectId,
      deliveries.map(({ id }) => id),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ url }) => url),
      deliveries.map(({ url }) => new URL(url).host),
      deliveries.map(({ event }) => event),
      deliveries.map(({ signalId }) => signalId),
      deliveries.map(({ body }) => body),
      limits.webhookDeliveriesPendingMax,
      isSentAtOnce ? ownMs : 0,
    ],
  });
}
