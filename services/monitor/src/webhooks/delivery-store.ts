import type { Database, Queryable, Statement } from "@touchstone/db";
import { disableWebhook } from "./webhook-store.ts";

/** A taken message with its signing data. */
export interface TakenDelivery {
  projectId: string;
  id: string;
  webhookId: string | null;
  url: string;
  host: string;
  event: string;
  body: string;
  /** The number of this try; from 1. */
  attempt: number;
  token: string;
  /** The webhook's salts, the current one first. Null: the webhook no longer exists. */
  salts: readonly Buffer[] | null;
}

/** The outcome of a try. `retry`: it is due again after this delay. */
export type DeliveryEnding = { lastStatus: number | null; lastError: string | null } & (
  | { outcome: "delivered" | "failed" }
  | { outcome: "retry"; delayMs: number }
  /** The receiver refuses all further messages: its webhook is disabled, unless it has another address by now. */
  | { outcome: "gone" }
);

interface TakeOptions {
  token: string;
  count: number;
  perProject: number;
  perHost: number;
  inHand: readonly Pick<TakenDelivery, "projectId" | "host">[];
  leaseMs: number;
}

/**
 * Pending messages. A worker takes one under a lease, and writes the outcome only while it holds the lease. All times are
 * PostgreSQL's.
 */
export interface DeliveryStore {
  /**
   * Takes up to `count` due messages, projects in turn and within each its hosts in turn, the oldest per host first; never more
   * than `perProject` of a project and `perHost` to a host, including those in progress. Counts as a try.
   */
  take(options: TakeOptions): Promise<TakenDelivery[]>;
  /** Takes this message, due or not and regardless of limits; null when another worker holds it. */
  takeOne(delivery: { projectId: string; id: string; token: string; leaseMs: number }): Promise<TakenDelivery | null>;
  /** Writes the outcome of a try. Returns false and writes nothing when another worker holds the message. */
  settle(delivery: TakenDelivery, ending: DeliveryEnding): Promise<boolean>;
}

/** Projects that one poll for due messages reads. */
const projectsMax = 200;
/** The time during which a replaced secret still signs. */
const previousSecretHours = 24;

export function createDeliveryStore({
  database,
  maintenance,
}: {
  /** Connects as the application role: outcomes are written under their project's scope. */
  database: Database;
  /** Connects as the maintenance role: messages are taken across projects. */
  maintenance: Database;
}): DeliveryStore {
  return {
    async take(options) {
      const { rows } = await maintenance.query<DeliveryRow>(buildTake(options));
      return rows.map((row) => readRow(row, options.token));
    },

    async takeOne({ projectId, id, token, leaseMs }) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<DeliveryRow>({
          name: "webhook_delivery_take_one",
          text: `
            ${lease("$3", "$4")}
            where delivery.project_id = $1
              and delivery.id = $2
              and delivery.status = 'pending'
              and delivery.leased_by is null
            ${returning}`,
          values: [projectId, id, token, leaseMs],
        }),
      );
      return rows.map((row) => readRow(row, token))[0] ?? null;
    },

    settle: (delivery, ending) =>
      database.scoped([delivery.projectId], async (transaction) => {
        // Locked first, like in changes of a webhook, so that the lock order is always the same.
        const url = ending.outcome === "gone" ? await lockWebhook(transaction, delivery) : null;
        // The message is due at the new address, which refused nothing.
        const isMoved = url !== null && url !== delivery.url;
        const { outcome, delayMs } = isMoved ? ({ outcome: "retry", delayMs: 0 } as const) : { delayMs: 0, ...ending };
        const { rowCount } = await transaction.query({
          name: "webhook_delivery_settle",
          text: `
            update monitor.webhook_deliveries
            set status = $4,
                last_status = $5,
                last_error = $6,
                leased_by = null,
                due_at = case when $4 = 'pending' then now() + $7 * interval '1 millisecond' else due_at end,
                settled_at = case when $4 = 'pending' then null else now() end
            where project_id = $1
              and id = $2
              and leased_by = $3
              and status = 'pending'`,
          values: [
            delivery.projectId,
            delivery.id,
            delivery.token,
            statusAfter[outcome],
            ending.lastStatus,
            ending.lastError,
            delayMs,
          ],
        });
        if (rowCount !== 1) return false;
        if (outcome === "gone" && delivery.webhookId !== null) {
          await disableWebhook(transaction, delivery.projectId, delivery.webhookId, goneReason);
        }
        return true;
      }),
  };
}

const goneReason = "The receiver answered 410: it wants nothing any more.";
const statusAfter = { delivered: "delivered", failed: "failed", gone: "failed", retry: "pending" } as const;

/**
 * The recursion steps from one project to the next, from a random start once around: no project waits behind the backlog of
 * another, and none is always first. Within a project it goes from host to host; those with the fewest messages in progress
 * come first.
 */
function buildTake({ token, count, perProject, perHost, inHand, leaseMs }: TakeOptions): Statement {
  return {
    name: "webhook_deliveries_take",
    text: `
      with recursive start (project_id) as (
        select gen_random_uuid()
      ), project (project_id) as (
        select coalesce(
          (select d.project_id from monitor.webhook_deliveries d
           where d.status = 'pending' and d.project_id > start.project_id order by d.project_id limit 1),
          (select d.project_id from monitor.webhook_deliveries d
           where d.status = 'pending' order by d.project_id limit 1))
        from start
        union
        select coalesce(
          (select d.project_id from monitor.webhook_deliveries d
           where d.status = 'pending' and d.project_id > project.project_id order by d.project_id limit 1),
          (select d.project_id from monitor.webhook_deliveries d
           where d.status = 'pending' order by d.project_id limit 1))
        from project
        where project.project_id is not null
      ), receiver (project_id, host) as (
        select present.project_id,
               (select d.host from monitor.webhook_deliveries d
                where d.project_id = present.project_id and d.status = 'pending' order by d.host limit 1)
        from (select project_id from project where project_id is not null limit $3) as present
        union all
        select receiver.project_id,
               (select d.host from monitor.webhook_deliveries d
                where d.project_id = receiver.project_id and d.status = 'pending' and d.host > receiver.host
                order by d.host limit 1)
        from receiver
        where receiver.host is not null
      ), held as (
        select * from unnest($1::uuid[], $2::text[]) as held (project_id, host)
      ), candidate as (
        select due.*,
               row_number() over (partition by due.project_id, due.host order by due.due_at, due.id)
                 + (select count(*) from held where (held.project_id, held.host) = (due.project_id, due.host))
                 as of_receiver
        from receiver
        cross join lateral (
          select project_id, id, host, due_at
          from monitor.webhook_deliveries as d
          where d.project_id = receiver.project_id
            and d.host = receiver.host
            and d.status = 'pending'
            and d.due_at <= now()
          order by d.due_at, d.id
          limit greatest($5 - (select count(*) from held where held.host = receiver.host), 0)
        ) as due
      ), spread_in_project as (
        select *, row_number() over (partition by project_id order by of_receiver, due_at, id) as turn
        from candidate
      ), spread as (
        select *, row_number() over (partition by host order by turn, due_at, id)
                  + (select count(*) from held where held.host = spread_in_project.host) as to_host
        from spread_in_project
        where turn + (select count(*) from held where held.project_id = spread_in_project.project_id) <= $4
      ), wanted as (
        select project_id, id
        from spread
        where to_host <= $5
        order by turn, due_at, id
        limit $6
      ), chosen as (
        select d.project_id, d.id
        from wanted
        join monitor.webhook_deliveries as d using (project_id, id)
        where d.status = 'pending'
          and d.due_at <= now()
        for update of d skip locked
      )
      ${lease("$7", "$8")}
      where (delivery.project_id, delivery.id) in (select project_id, id from chosen)
      ${returning}`,
    values: [
      inHand.map(({ projectId }) => projectId),
      inHand.map(({ host }) => host),
      projectsMax,
      perProject,
      perHost,
      count,
      token,
      leaseMs,
    ],
  };
}

/** Returns its current address; null: there is no such webhook. */
async function lockWebhook(transaction: Queryable, { projectId, webhookId }: TakenDelivery): Promise<string | null> {
  if (webhookId === null) return null;
  const { rows } = await transaction.query<{ url: string }>({
    name: "webhook_lock",
    text: `
      select url
      from monitor.webhooks
      where project_id = $1
        and id = $2
      for update`,
    values: [projectId, webhookId],
  });
  return rows[0]?.url ?? null;
}

/** `token` and `leaseMs` are the parameters' placeholders. */
const lease = (token: string, leaseMs: string): string => `
  update monitor.webhook_deliveries as delivery
  set attempts = delivery.attempts + 1,
      leased_by = ${token}::uuid,
      attempted_at = now(),
      due_at = now() + ${leaseMs}::double precision * interval '1 millisecond'`;

const returning = `
  returning delivery.project_id, delivery.id, delivery.webhook_id, delivery.url, delivery.host, delivery.event,
            delivery.body, delivery.attempts,
            (
              select array_remove(
                array[
                  webhooks.secret_salt,
                  case when webhooks.rotated_at > now() - interval '${previousSecretHours} hours'
                       then webhooks.previous_salt end
                ], null)
              from monitor.webhooks
              where webhooks.project_id = delivery.project_id
                and webhooks.id = delivery.webhook_id
            ) as salts`;

type DeliveryRow = {
  project_id: string;
  id: string;
  webhook_id: string | null;
  url: string;
  host: string;
  event: string;
  body: string;
  attempts: number;
  salts: Buffer[] | null;
};

const readRow = (row: DeliveryRow, token: string): TakenDelivery => ({
  projectId: row.project_id,
  id: row.id,
  webhookId: row.webhook_id,
  url: row.url,
  host: row.host,
  event: row.event,
  body: row.body,
  attempt: row.attempts,
  token,
  salts: row.salts,
});
