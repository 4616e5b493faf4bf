import type { Consumption, EventPlace } from "./bus.ts";

/** An event that was committed with its data. `body` is its JSON text; ids are decimal numbers. */
export interface OutboxRow {
  id: string;
  subject: string;
  body: string;
}

/** A row that the event store acknowledged, with its position. */
export interface PublishedRow extends EventPlace {
  id: string;
}

/** Where committed events wait to be published. */
export interface OutboxStore {
  /** Unpublished rows after `afterId`, in id order. */
  take(afterId: string, limit: number): Promise<OutboxRow[]>;
  /** Marks rows as published: `take` never returns them again, unless the event store loses them. */
  settle(published: readonly PublishedRow[]): Promise<void>;
}

/** An outbox that stores where its rows were published, and removes them when they are consumed. */
export interface KeptOutboxStore extends OutboxStore {
  /** Whether any published row is still there. */
  holdsPublished(): Promise<boolean>;
  /**
   * Marks rows as unpublished that the event store does not have: published into another one, or beyond the end of this
   * one. Returns their number.
   */
  reopen(held: Pick<Consumption, "store" | "lastSequence">): Promise<number>;
  /** Removes the rows of a subject that were published into this store, up to this sequence. */
  trim(consumed: Pick<Consumption, "store" | "doneThrough"> & { subject: string }): Promise<void>;
}
