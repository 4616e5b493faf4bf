import type { Database } from "./database.ts";
import { type OutboxRow, readWaitingEvents, type WaitingEvents } from "./outbox-store.ts";

/** A row that the event store has, and its position there. */
export interface PublishedOutboxRow {
  id: string;
  store: string;
  sequence: number;
}

/**
 * An outbox that keeps published rows until they are consumed. The table has two more columns, null until then:
 * `published_into text`, the event store, and `published_seq bigint`, the position in it.
 */
export interface KeptOutboxStore {
  /**
   * Unpublished rows after `afterId` in id order. A transaction that committed late may add one below an id already
   * read.
   */
  take(afterId: string, limit: number): Promise<OutboxRow[]>;
  /** Reads an index only: cheap at any size of the table. */
  readWaiting(): Promise<WaitingEvents>;
  /** Whether any published row is still there. Reads an index only. */
  holdsPublished(): Promise<boolean>;
  /** Records the positions of rows. */
  settle(published: readonly PublishedOutboxRow[]): Promise<void>;
  /** Marks rows as unpublished that are in another store, or beyond the end of this one. Returns their number. */
  reopen(held: { store: string; lastSequence: number }): Promise<number>;
  /** Removes the rows of a subject that are in this store, up to this sequence. */
  trim(consumed: { store: string; subject: string; doneThrough: number }): Promise<void>;
}

/** The maximum number of rows that one statement changes: a wiped store may have held a week of them. */
const sliceMax = 5_000;

/** Reads and keeps `<schema>.outbox` under the maintenance role; the rows belong to all projects. */
export function createKeptOutboxStore(database: Database, schema: string): KeptOutboxStore {
  /** Repeats a statement on slices until one is not full; returns the total number of changed rows. */
  async function inSlices(change: () => Promise<{ rowCount: number | null }>): Promise<number> {
    for (let total = 0; ; ) {
      const changed = (await change()).rowCount ?? 0;
      total += changed;
      if (changed < sliceMax) return total;
    }
  }

  return {
    async take(afterId, limit) {
      // In numeric order: the plain name `id` would mean the selected text.
      const { rows } = await database.query<OutboxRow>({
        name: `${schema}_outbox_take_unpublished`,
        text: `
          select id::text, subject, body
          from ${schema}.outbox
          where published_seq is null and id > $1
          order by outbox.id
          limit $2`,
        values: [afterId, limit],
      });
      return rows;
    },
    readWaiting: () => readWaitingEvents(database, schema, "published_seq is null"),
    async holdsPublished() {
      const { rows } = await database.query<{ holds: boolean }>({
        name: `${schema}_outbox_holds_published`,
        text: `select exists (select from ${schema}.outbox where published_seq is not null) as holds`,
      });
      return rows[0]?.holds === true;
    },
    async settle(published) {
      await database.query({
        name: `${schema}_outbox_settle`,
        text: `
          update ${schema}.outbox
          set published_into = place.store, published_seq = place.sequence
          from unnest($1::bigint[], $2::text[], $3::bigint[]) as place (id, store, sequence)
          where outbox.id = place.id`,
        values: [
          published.map(({ id }) => id),
          published.map(({ store }) => store),
          published.map(({ sequence }) => sequence),
        ],
      });
    },
    reopen: ({ store, lastSequence }) =>
      inSlices(() =>
        database.query({
          // Runs every second, and nearly always finds nothing: each half is a short scan of the index on published
          // rows.
          name: `${schema}_outbox_reopen`,
          text: `
            update ${schema}.outbox
            set published_into = null, published_seq = null
            where id in (
              (
                select id
                from ${schema}.outbox
                where published_seq is not null and published_into < $1
                order by published_into, published_seq
                limit ${sliceMax}
              )
              union all
              (
                select id
                from ${schema}.outbox
                where published_seq is not null and (published_into, published_seq) > ($1, $2)
                order by published_into, published_seq
                limit ${sliceMax}
              )
            )`,
          values: [store, lastSequence],
        }),
      ),
    async trim({ store, subject, doneThrough }) {
      await inSlices(() =>
        database.query({
          name: `${schema}_outbox_trim`,
          text: `
            delete from ${schema}.outbox
            where id in (
              select id
              from ${schema}.outbox
              where published_into = $1 and published_seq <= $2 and subject = $3
              order by published_into, published_seq
              limit ${sliceMax}
            )`,
          values: [store, doneThrough, subject],
        }),
      );
    },
  };
}
