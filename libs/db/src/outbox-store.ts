import type { Database } from "./database.ts";

/** One event waiting to be published. `body` is the event's JSON text. */
export interface OutboxRow {
  id: string;
  subject: string;
  body: string;
}

/** The reading side of a schema's outbox table (`id bigint`, `subject text`, `body text`). */
export interface OutboxStore {
  /** Rows after `afterId` in id order. A transaction that committed late may add a row below an id already read. */
  take(afterId: string, limit: number): Promise<OutboxRow[]>;
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
