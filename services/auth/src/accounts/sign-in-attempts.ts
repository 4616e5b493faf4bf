import { createHmac } from "node:crypto";
import type { Database } from "@touchstone/db";
import { AppError, type Clock } from "@touchstone/service-kit";

export interface SignInAttempts {
  /**
   * Counts a try of a password for an address before it is checked, so that many at once count as well. Throws
   * `rate_limited` while the address has to wait.
   */
  count(address: string): Promise<void>;
  /** The password was right: nothing counts any more. */
  forget(address: string): Promise<void>;
}

/** So many tries cost nothing; after that each waits twice as long as the one before, up to `waitMaxSeconds`. */
const freeAttempts = 5;
const waitMaxSeconds = 60;
/** An address that was left alone for so long begins anew. */
export const attemptsRememberedMs = 60 * 60 * 1000;

/**
 * Slows down guessing at one account from many addresses (ASVS 6.3.1), for unknown addresses alike. It delays and never
 * locks: whoever is guessed at waits a minute at most, and may sign in by a provider or reset the password meanwhile.
 */
export function createSignInAttempts(options: { database: Database; secret: string; clock: Clock }): SignInAttempts {
  const { database, secret, clock } = options;
  const hashOf = (address: string): Buffer =>
    createHmac("sha256", secret).update(`sign-in attempts ${address.trim().toLowerCase()}`).digest();

  return {
    async count(address) {
      const now = new Date(clock.now());
      const { rows } = await database.query<{ wait_seconds: number | null }>({
        name: "sign_in_attempt_count",
        // One statement, under the row's lock: of tries at once each sees those before it.
        text: `
          with counted as (
            insert into auth.sign_in_attempts as known (address_hash, attempts, last_at)
            values ($1, 1, $2)
            on conflict (address_hash) do update
            set
              attempts = case when known.last_at < $3 then 1 else least(known.attempts + 1, 1000) end,
              last_at = $2
            where known.attempts < $4
              or known.last_at + make_interval(secs => least($5, power(2, least(known.attempts - $4, 30)))) <= $2
            returning null::int as wait_seconds
          )
          select wait_seconds from counted
          union all
          select ceil(extract(epoch from
            last_at + make_interval(secs => least($5, power(2, least(attempts - $4, 30)))) - $2))::int
          from auth.sign_in_attempts
          where address_hash = $1 and not exists (select from counted)`,
        values: [hashOf(address), now, new Date(now.getTime() - attemptsRememberedMs), freeAttempts, waitMaxSeconds],
      });
      if (rows[0]?.wait_seconds === null) return;
      // What tries at once wrote meanwhile may not be seen here, only that this one must wait.
      throw new AppError("rate_limited", "Too many requests", {
        retryAfterSeconds: Math.max(1, rows[0]?.wait_seconds ?? 1),
      });
    },

    async forget(address) {
      await database.query({
        name: "sign_in_attempt_forget",
        text: "delete from auth.sign_in_attempts where address_hash = $1",
        values: [hashOf(address)],
      });
    },
  };
}
