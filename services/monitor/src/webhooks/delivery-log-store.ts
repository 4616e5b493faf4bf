import type { Database } from "@touchstone/db";
import { AppError, type Logger } from "@touchstone/service-kit";
import { type RegularSweep, trimRegularly } from "@touchstone/store-service";
import { type NewDelivery, writeDeliveries } from "./new-delivery-store.ts";

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** A message as clients see it. */
export interface LoggedDelivery {
  id: string;
  webhookId: string | null;
  url: string;
  event: string;
  signalId: string | null;
  /** JSON text. */
  body: string;
  status: DeliveryStatus;
  attempts: number;
  dueAt: Date;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  settledAt: Date | null;
}

export interface DeliveryFilter {
  status: DeliveryStatus | null;
  webhookId: string | null;
  limit: number;
  /** The id to continue after; null: from the newest. */
  before: string | null;
}

/** Sent, pending and abandoned messages (completions 10). */
export interface DeliveryLog {
  /** Newest first. */
  list(projectId: string, filter: DeliveryFilter): Promise<LoggedDelivery[]>;
  find(projectId: string, id: string): Promise<LoggedDelivery | null>;
  /** For callers that send the message immediately. */
  write(projectId: string, delivery: NewDelivery): Promise<void>;
  /**
   * Makes a settled message due again, with all its tries, for its webhook's current address. False when there is none; throws
   * `conflict` when it is pending or has no receiver.
   */
  replay(projectId: string, id: string): Promise<boolean>;
}

export function createDeliveryLog(database: Database): DeliveryLog {
  const log: DeliveryLog = {
    async list(projectId, { status, webhookId, limit, before }) {
      const { rows } = await database.readScoped<LogRow>([projectId], {
        name: "webhook_deliveries_list",
        text: `
          select ${columns}
          from monitor.webhook_deliveries
          where project_id = $1
            and ($2::text is null or status = $2)
            and ($3::uuid is null or webhook_id = $3)
            and ($4::uuid is null or id < $4)
          order by id desc
          limit $5`,
        values: [projectId, status, webhookId, before, limit],
      });
      return rows.map(readRow);
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<LogRow>([projectId], {
        name: "webhook_delivery_find",
        text: `
          select ${columns}
          from monitor.webhook_deliveries
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rows.map(readRow)[0] ?? null;
    },

    write: (projectId, delivery) =>
      database.scoped([projectId], (transaction) =>
        writeDeliveries(transaction, projectId, [delivery], { isSentAtOnce: true }),
      ),

    async replay(projectId, id) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "webhook_delivery_replay",
          text: `
            with receiver as (
              select delivery.id, coalesce(webhooks.url, delivery.url) as url
              from monitor.webhook_deliveries as delivery
              left join monitor.webhooks
                on webhooks.project_id = delivery.project_id
                and webhooks.id = delivery.webhook_id
              where delivery.project_id = $1
                and delivery.id = $2
                and (delivery.webhook_id is null or webhooks.enabled)
            )
            update monitor.webhook_deliveries as delivery
            set status = 'pending',
                attempts = 0,
                due_at = now(),
                leased_by = null,
                settled_at = null,
                url = receiver.url,
                host = case when receiver.url = delivery.url then delivery.host
                            else substring(receiver.url from '^[^:]+://([^/?#]+)') end
            from receiver
            where delivery.project_id = $1
              and delivery.id = receiver.id
              and delivery.status <> 'pending'`,
          values: [projectId, id],
        }),
      );
      if (rowCount === 1) return true;
      const stored = await log.find(projectId, id);
      if (stored === null) return false;
      if (stored.status === "pending") throw new AppError("conflict", "The delivery is on its way");
      throw new AppError("conflict", "The webhook of the delivery is disabled or was deleted");
    },
  };
  return log;
}

const columns = `
  id, webhook_id, url, event, signal_id, body, status, attempts, due_at, last_status, last_error, created_at, settled_at`;

type LogRow = {
  id: string;
  webhook_id: string | null;
  url: string;
  event: string;
  signal_id: string | null;
  body: string;
  status: DeliveryStatus;
  attempts: number;
  due_at: Date;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  settled_at: Date | null;
};

const readRow = (row: LogRow): LoggedDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  url: row.url,
  event: row.event,
  signalId: row.signal_id,
  body: row.body,
  status: row.status,
  attempts: row.attempts,
  dueAt: row.due_at,
  lastStatus: row.last_status,
  lastError: row.last_error,
  createdAt: row.created_at,
  settledAt: row.settled_at,
});

const keptDays = 30;

/** Deletes webhook deliveries that ended a month ago. */
export function trimWebhookDeliveries({
  maintenance,
  logger,
}: {
  maintenance: Database;
  logger: Logger;
}): RegularSweep {
  return trimRegularly({
    maintenance,
    logger,
    statement: (rowsAtOnce) => ({
      name: "webhook_deliveries_trim",
      text: `
        delete from monitor.webhook_deliveries
        where (project_id, id) in (
          select project_id, id
          from monitor.webhook_deliveries
          where settled_at < now() - $1 * interval '1 day'
          order by settled_at
          limit $2)`,
      values: [keptDays, rowsAtOnce],
    }),
  });
}
