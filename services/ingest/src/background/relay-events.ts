import { type Bus, createOutboxKeeper, createOutboxRelay, type OutboxStore } from "@touchstone/bus";
import type { EventContract } from "@touchstone/contracts";
import { createKeptOutboxStore, type Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createLease } from "./lease.ts";

/** A running relay. */
export interface EventRelay {
  /** Signals that a commit may have added events. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Commits within this time are published together: a turn of the relay costs two statements, and an event as much for one
 * trace as for a hundred. A commit after a pause waits for the shortest time; while commits keep coming, the time doubles.
 */
const gatherMs = { least: 20, most: 100 };
/** Maximum delay before publishing an event that another replica committed. */
const pollMs = 250;

/**
 * Publishes events from the outbox, on the one replica that holds the lease. A row leaves the outbox after its
 * consumers have acknowledged the event.
 */
export function relayEvents(options: {
  maintenance: Database;
  bus: Bus;
  /** Events that the outbox may hold. */
  events: readonly EventContract[];
  logger: Logger;
}): EventRelay {
  const { maintenance, bus, events, logger } = options;
  const lease = createLease({ database: maintenance, name: "relay", logger, onAcquired: () => relay.wake() });
  const outbox = createKeptOutboxStore(maintenance, "ingest");
  const keeper = createOutboxKeeper({ store: outbox, bus, events });
  const leased: OutboxStore = {
    take: async (afterId, limit) => (lease.isHeld() ? outbox.take(afterId, limit) : []),
    settle: outbox.settle,
  };
  const relay = createOutboxRelay({
    store: leased,
    keeper: { look: async () => lease.isHeld() && (await keeper.look()) },
    bus,
    events,
    logger,
    pollMs,
  });
  let gathering: NodeJS.Timeout | null = null;
  let waitMs = gatherMs.least;
  let publishedAtMs = Number.NEGATIVE_INFINITY;

  return {
    wake() {
      if (gathering !== null || !lease.isHeld()) return;
      const keepsComing = performance.now() - publishedAtMs < waitMs;
      waitMs = keepsComing ? Math.min(2 * waitMs, gatherMs.most) : gatherMs.least;
      gathering = setTimeout(() => {
        gathering = null;
        publishedAtMs = performance.now();
        relay.wake();
      }, waitMs);
    },
    async stop() {
      if (gathering !== null) clearTimeout(gathering);
      await relay.stop();
      await lease.stop();
    },
  };
}
