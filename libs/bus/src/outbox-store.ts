import type { Consumption, EventPlace } from "./bus.ts";

/** An event that was committed with the data it speaks of. `body` is its JSON text; ids are decimal numbers. */
export interface OutboxRow {
  id: string;
  subject: string;
  body: string;
}

/** A row that the event store acknowledged, and where it put it. */
export interface PublishedRow extends EventPlace {
  id: string;
}

/** Where committed events wait to be published. */
export interface OutboxStore {
  /** Rows after `afterId` that are not published, in id order. */
  take(afterId: string, limit: number): Promise<OutboxRow[]>;
  /** Takes note that rows are published: `take` never answers them again, unless the event store loses them. */
  settle(published: readonly PublishedRow[]): Promise<void>;
}

/** An outbox that remembers where its rows were published, and loses them when they are consumed. */
export interface KeptOutboxStore extends OutboxStore {
  /**
   * Makes rows unpublished again that the event store does not have: published into another one, or beyond the end of
   * this one. Answers how many.
   */
  reopen(held: Pick<Consumption, "store" | "lastSequence">): Promise<number>;
  /** Removes the rows of a subject that were published into this store, up to this sequence. */
  trim(consumed: Pick<Consumption, "store" | "doneThrough"> & { subject: string }): Promise<void>;
}
