import type { Logger } from "@touchstone/service-kit";
import type { CheckStore, Lease, TakenCheck } from "./check-store.ts";

/** A check that a worker holds. */
export interface HeldCheck {
  check: TakenCheck;
  /** Aborted when the worker loses the lease, and when it stops. */
  abort: AbortController;
}

/** Renews the leases of the held checks regularly, and aborts checks that another worker took over. */
export function startRenewal(options: {
  store: Pick<CheckStore, "renew">;
  logger: Logger;
  lease: Lease;
  renewMs: number;
  listHeld: () => HeldCheck[];
}): { stop(): Promise<void> } {
  const { store, logger, lease, renewMs, listHeld } = options;
  let renewing: Promise<void> | null = null;
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = null;
    });
  }, renewMs);

  async function renew(): Promise<void> {
    const held = listHeld();
    if (held.length === 0) return;
    try {
      const own = await store.renew(
        held.map(({ check }) => check),
        lease,
      );
      for (const { check, abort } of held) {
        if (!own.has(check.id)) abort.abort(new Error("the check was taken over"));
      }
    } catch (err) {
      // The database is unavailable. Checks in progress continue: their outcome is written only if the lease is still held.
      logger.warn({ err }, "leases of checks could not be renewed");
    }
  }

  return {
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}
