import { type Bus, createOutboxKeeper, createOutboxRelay, type OutboxRelay } from "@touchstone/bus";
import type { EventContract } from "@touchstone/contracts";
import { createKeptOutboxStore, type Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/**
 * Makes the function that starts publishing the committed outbox of a schema; a row leaves it after its event was
 * consumed (decision 19).
 */
export function outboxRelaying(outbox: {
  schema: string;
  /** The events that the outbox may hold. */
  events: readonly EventContract[];
  pollMs?: number;
  keepMs: number;
}) {
  const { schema, ...timed } = outbox;
  return ({ maintenance, bus, logger }: { maintenance: Database; bus: Bus; logger: Logger }): OutboxRelay => {
    const store = createKeptOutboxStore(maintenance, schema);
    const keeper = createOutboxKeeper({ store, bus, events: outbox.events });
    return createOutboxRelay({ ...timed, store, keeper, bus, logger });
  };
}
