import { randomUUID } from "node:crypto";
import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";

/** The right of one replica to do the background work. */
export interface Lease {
  /** Whether this replica has it now. It stops having it by itself when it cannot renew it in time. */
  isHeld(): boolean;
  /** Gives it up, so that another replica takes it within a second. */
  stop(): Promise<void>;
}

export interface LeaseOptions {
  /** Under the maintenance role. */
  database: Database;
  name: string;
  logger: Logger;
  /** Called when this replica gets the lease. */
  onAcquired(): void;
}

/** A holder that died is followed after this long at most. By the clock of PostgreSQL alone. */
const lifetimeMs = 4_000;
const renewalMs = 1_000;

/** Starts asking for a lease, and renews it once it is got. Two holders at once are possible for the length of a stall. */
export function createLease({ database, name, logger, onAcquired }: LeaseOptions): Lease {
  const holder = randomUUID();
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn = renew();

  const isHeld = (): boolean => performance.now() < heldUntilMs;

  async function renew(): Promise<void> {
    // Counted from before the request: an answer that took its time leaves that much less.
    const askedAtMs = performance.now();
    try {
      const { rows } = await database.query({
        // Answers a row only to the holder, old or new.
        name: "lease_take",
        text: `
          insert into ingest.leases as lease (name, holder, expires_at)
          values ($1, $2, now() + make_interval(secs => $3))
          on conflict (name) do update
          set holder = excluded.holder, expires_at = excluded.expires_at
          where lease.holder = excluded.holder or lease.expires_at < now()
          returning holder`,
        values: [name, holder, lifetimeMs / 1000],
      });
      const wasHeld = isHeld();
      heldUntilMs = rows.length > 0 ? askedAtMs + lifetimeMs : Number.NEGATIVE_INFINITY;
      if (isHeld() && !wasHeld) onAcquired();
    } catch (err) {
      logger.debug({ err, lease: name }, "the lease was not renewed");
    }
    if (stopped) return;
    timer = setTimeout(() => {
      turn = renew();
    }, renewalMs);
  }

  return {
    isHeld,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      heldUntilMs = Number.NEGATIVE_INFINITY;
      // Without PostgreSQL it ends by itself.
      await database
        .query({
          name: "lease_give_up",
          text: "delete from ingest.leases where name = $1 and holder = $2",
          values: [name, holder],
        })
        .catch((err) => logger.debug({ err, lease: name }, "the lease was not given up"));
    },
  };
}
