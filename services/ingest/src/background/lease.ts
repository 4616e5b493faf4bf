import { randomUUID } from "node:crypto";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { giveUpLease, takeLease } from "./lease-store.ts";

/** A lease that lets one replica do the background work. */
export interface Lease {
  /** True while this replica holds the lease. It loses the lease if it cannot renew it in time. */
  isHeld(): boolean;
  /** Releases the lease, so that another replica gets it at its next attempt, within a quarter of the lifetime. */
  stop(): Promise<void>;
}

export interface LeaseOptions {
  /** Under the maintenance role. */
  database: Database;
  name: string;
  logger: Logger;
  /** Called when this replica gets the lease. */
  onAcquired(): void;
  /** The longest time until a holder that died is replaced, by the clock of PostgreSQL only. Default 4,000. */
  lifetimeMs?: number | undefined;
}

/**
 * Starts acquiring a lease, and renews it while held. A stalled process can cause two holders for the length of the
 * stall.
 */
export function createLease({ database, name, logger, onAcquired, lifetimeMs = 4_000 }: LeaseOptions): Lease {
  const holder = randomUUID();
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn = renew();

  const isHeld = (): boolean => performance.now() < heldUntilMs;

  async function renew(): Promise<void> {
    // Counted from before the request: a slow answer leaves less time.
    const askedAtMs = performance.now();
    try {
      const isOurs = await takeLease(database, { name, holder, lifetimeMs });
      const wasHeld = isHeld();
      heldUntilMs = isOurs ? askedAtMs + lifetimeMs : Number.NEGATIVE_INFINITY;
      if (isHeld() && !wasHeld) onAcquired();
    } catch (err) {
      logger.debug({ err, lease: name }, "the lease was not renewed");
    }
    if (stopped) return;
    timer = setTimeout(() => {
      turn = renew();
    }, lifetimeMs / 4);
  }

  return {
    isHeld,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      heldUntilMs = Number.NEGATIVE_INFINITY;
      // If PostgreSQL is unavailable, the lease expires.
      await giveUpLease(database, { name, holder }).catch((err) =>
        logger.debug({ err, lease: name }, "the lease was not given up"),
      );
    },
  };
}
