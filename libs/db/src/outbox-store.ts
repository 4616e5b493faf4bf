import type { Database, Queryable } from "./database.ts";

/** One event waiting to be published. `body` is the event's JSON text. */
export interface OutboxRow {
  id: string;
  subject: string;
  body: string;
}

/** The events that wait in an outbox. Of more than {@link waitingMax} no more are counted. */
export interface WaitingEvents {
  count: number;
  /** Null when none waits. */
  oldestId: number | null;
  /** Of all rows, published or not. */
  newestId: number | null;
}

const waitingMax = 10_000;

/** The reading side of a schema's outbox table (`id bigint`, `subject text`, `body text`). */
export interface OutboxStore {
  /** Rows after `afterId` in id order. A transaction that committed late may add a row below an id already read. */
  take(afterId: string, limit: number): Promise<OutboxRow[]>;
  /** Reads an index only: cheap at any size of the table. */
  readWaiting(): Promise<WaitingEvents>;
  /** Removes rows that were published. */
  settle(published: readonly { id: string }[]): Promise<void>;
}

/**
 * Reads and empties `<schema>.outbox` under the maintenance role; the rows belong to all projects. For events that only
 * listeners receive: they send no acknowledgements, so rows need not be kept.
 */
export function createOutboxStore(database: Database, schema: string): OutboxStore {
  return {
    async take(afterId, limit) {
      // In numeric order: the plain name `id` would mean the selected text.
      const { rows } = await database.query<OutboxRow>({
        name: `${schema}_outbox_take`,
        text: `
          select id::text, subject, body
          from ${schema}.outbox
          where id > $1
          order by outbox.id
          limit $2`,
        values: [afterId, limit],
      });
      return rows;
    },
    readWaiting: () => readWaitingEvents(database, schema, "true"),
    async settle(published) {
      await database.query({
        name: `${schema}_outbox_remove`,
        text: `
          delete from ${schema}.outbox
          where id = any ($1::bigint[])`,
        values: [published.map(({ id }) => id)],
      });
    },
  };
}

/** `isWaiting` is the condition of an unpublished row; an index serves it in the order of ids. */
export async function readWaitingEvents(database: Database, schema: string, isWaiting: string): Promise<WaitingEvents> {
  const { rows } = await database.query<{ count: number; oldest: string | null; newest: string | null }>({
    name: `${schema}_outbox_waiting`,
    text: `
      select (
          select count(*)::integer
          from (select from ${schema}.outbox where ${isWaiting} order by id limit ${waitingMax}) waiting
        ) as count,
        (select id::text from ${schema}.outbox where ${isWaiting} order by outbox.id limit 1) as oldest,
        (select id::text from ${schema}.outbox order by outbox.id desc limit 1) as newest`,
  });
  const { count = 0, oldest = null, newest = null } = rows[0] ?? {};
  return {
    count,
    oldestId: oldest === null ? null : Number(oldest),
    newestId: newest === null ? null : Number(newest),
  };
}

/** The part of an event's contract that its writer needs. `parse` throws at an invalid body. */
interface OutboxEvent {
  subject: string;
  body: { parse(body: unknown): unknown };
}

/** Writes one event into `<schema>.outbox`, in the transaction of its data: neither exists without the other. */
export async function enqueueEvent(
  transaction: Queryable,
  schema: string,
  { event, body }: { event: OutboxEvent; body: unknown },
): Promise<void> {
  await transaction.query({
    name: `${schema}_outbox_enqueue`,
    text: `
      insert into ${schema}.outbox (subject, body)
      values ($1, $2)`,
    values: [event.subject, JSON.stringify(event.body.parse(body))],
  });
}
