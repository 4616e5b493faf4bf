import type { EventContract } from "@touchstone/contracts";
import type { Bus } from "./bus.ts";
import type { KeptOutboxStore } from "./outbox-store.ts";

/** Maintains published rows. */
export interface OutboxKeeper {
  /**
   * Compares the outbox with the event store: consumed rows are removed, rows the store lost become unpublished.
   * Returns whether there are any of the latter. Rejects when either of the two is unavailable; the event store is asked
   * only while there are published rows.
   */
  look(): Promise<boolean>;
}

/** Keeps rows of an outbox until every durable consumer of their event has acknowledged them. */
export function createOutboxKeeper({
  store,
  bus,
  events,
}: {
  store: KeptOutboxStore;
  bus: Pick<Bus, "readConsumption">;
  events: readonly EventContract[];
}): OutboxKeeper {
  return {
    async look() {
      // An idle installation asks one short question instead of two statements and a request for each event.
      if (!(await store.holdsPublished())) return false;
      let reopened = 0;
      for (const contract of events) {
        const consumption = await bus.readConsumption(contract);
        // First: a row beyond the end of the store would look consumed once the store has counted past it again.
        reopened += await store.reopen(consumption);
        await store.trim({ ...consumption, subject: contract.subject });
      }
      return reopened > 0;
    },
  };
}
