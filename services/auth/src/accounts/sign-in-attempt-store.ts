import type { Database, Queryable } from "@touchstone/db";
import { AppError, type Clock } from "@touchstone/service-kit";

/** A counter without an attempt for this long starts again. */
export const attemptsRememberedMs = 60 * 60 * 1000;
/** The longest wait for the next attempt. */
const waitMaxSeconds = 60;

/** One counter, and how many attempts it leaves free. */
export interface AttemptCounter {
  key: Buffer;
  free: number;
}

export interface SignInAttemptStore {
  /** Returns the number of attempts before this one. Throws `rate_limited` if it has to wait. */
  countOne(queryable: Queryable, counter: AttemptCounter): Promise<number>;
  /** Removes a client's own counter, and subtracts one attempt from the shared ones; locks the rows in this order. */
  withdraw(own: AttemptCounter, shared: readonly AttemptCounter[]): Promise<void>;
}

/** Stores {@link SignInAttemptStore} in the schema `auth`. */
export function createSignInAttemptStore(database: Database, clock: Clock): SignInAttemptStore {
  return {
    async countOne(queryable, { key, free }) {
      const now = new Date(clock.now());
      const { rows } = await queryable.query<{ attempts: number; wait_seconds: number | null }>({
        name: "sign_in_attempt_count",
        // One statement, under the row's lock: each of several simultaneous attempts sees those before it.
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
            returning attempts, null::int as wait_seconds
          )
          select attempts, wait_seconds from counted
          union all
          select attempts, ceil(extract(epoch from
            last_at + make_interval(secs => least($5, power(2, least(attempts - $4, 30)))) - $2))::int
          from auth.sign_in_attempts
          where address_hash = $1 and not exists (select from counted)`,
        values: [key, now, new Date(now.getTime() - attemptsRememberedMs), free, waitMaxSeconds],
      });
      const [row] = rows;
      if (row?.wait_seconds === null) return row.attempts - 1;
      // Simultaneous attempts may not be visible here; it is only known that this one must wait.
      throw new AppError("rate_limited", "Too many requests", {
        retryAfterSeconds: Math.max(1, row?.wait_seconds ?? 1),
      });
    },

    async withdraw(own, shared) {
      await database.transaction((transaction) =>
        transaction.finish([
          {
            name: "sign_in_attempt_forget",
            text: "delete from auth.sign_in_attempts where address_hash = $1",
            values: [own.key],
          },
          // A statement each: one for all would lock them in any order.
          ...shared.map(({ key }) => ({
            name: "sign_in_attempt_withdraw",
            text: `
              update auth.sign_in_attempts
              set attempts = greatest(attempts - 1, 0)
              where address_hash = $1`,
            values: [key],
          })),
        ]),
      );
    },
  };
}
