import { createHmac } from "node:crypto";
import type { Database, Queryable } from "@touchstone/db";
import { AppError, type Clock } from "@touchstone/service-kit";

/** The source of an attempt: a device that signed in to the account before, or a client with this address. */
export type Attempter = { device: string } | { client: string };

/** A signed-in user who is asked for the password again: a separate counter, which strangers cannot use up. */
export const userAgain = (userId: string): Attempter => ({ device: `of user ${userId}` });

export interface SignInAttempts {
  /**
   * Counts an attempt at the account of an address before the password is checked, so that simultaneous ones count as
   * well. Throws `rate_limited` while the client has to wait; such an attempt is not counted.
   */
  count(address: string, by: Attempter): Promise<CountedAttempt>;
}

export interface CountedAttempt {
  /** The password was right: resets the client's counter. */
  wasRight(): Promise<void>;
}

/** Number of free attempts; after that each waits twice as long as the one before, up to `waitMaxSeconds`. */
const freeAttempts = 5;
const waitMaxSeconds = 60;
/** A client is a newcomer for its first attempts. All newcomers together have this many free attempts. */
const newcomerAttempts = 3;
const freeNewcomerAttempts = 30;
/** Free attempts of a counter without a limit. */
const unlimited = 2 ** 31 - 1;
/** A counter without an attempt for this long starts again. */
export const attemptsRememberedMs = 60 * 60 * 1000;

/** One counter. */
interface Counter {
  key: Buffer;
  free: number;
}

/**
 * Slows down guessing at one account from many addresses (ASVS 6.3.1), whether or not it exists, without locking out
 * its owner. Each client has a separate counter for each account. Clients that failed a few times at an account also
 * share a counter, which limits the speed of a distributed attack. Newcomers share a wider one, so that the attempts of
 * strangers do not keep the owner from signing in at a new place. A known device has only its own counter.
 */
export function createSignInAttempts(options: { database: Database; secret: string; clock: Clock }): SignInAttempts {
  const { database, secret, clock } = options;
  const counterOf = (address: string, what: string, free = freeAttempts): Counter => ({
    key: createHmac("sha256", secret)
      .update(JSON.stringify(["sign-in attempts", address.trim().toLowerCase(), what]))
      .digest(),
    free,
  });

  /** Returns the number of attempts before this one. Throws if it has to wait. */
  async function countOne(queryable: Queryable, { key, free }: Counter): Promise<number> {
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
    throw new AppError("rate_limited", "Too many requests", { retryAfterSeconds: Math.max(1, row?.wait_seconds ?? 1) });
  }

  async function countStranger(address: string, client: string): Promise<CountedAttempt> {
    const own = counterOf(address, `client ${client}`);
    const newcomers = counterOf(address, "newcomers", freeNewcomerAttempts);
    const all = counterOf(address, "all");
    // An attempt that has to wait is counted nowhere. All lock the rows in the same order, so there is no deadlock.
    const isNewcomer = await database.transaction(async (transaction) => {
      const before = await countOne(transaction, own);
      if (before >= newcomerAttempts) {
        await countOne(transaction, all);
        return false;
      }
      await countOne(transaction, newcomers);
      await countOne(transaction, { ...all, free: unlimited });
      return true;
    });
    return {
      wasRight: () => withdraw([own], isNewcomer ? [newcomers, all] : [all]),
    };
  }

  /** Removes counters, and subtracts one attempt from the shared ones. */
  async function withdraw(forgotten: readonly Counter[], shared: readonly Counter[]): Promise<void> {
    await database.query({
      name: "sign_in_attempt_withdraw",
      text: `
        with forgotten as (
          delete from auth.sign_in_attempts where address_hash = any ($1::bytea[])
        )
        update auth.sign_in_attempts
        set attempts = greatest(attempts - 1, 0)
        where address_hash = any ($2::bytea[])`,
      values: [forgotten.map(({ key }) => key), shared.map(({ key }) => key)],
    });
  }

  return {
    async count(address, by) {
      if ("client" in by) return countStranger(address, by.client);
      const own = counterOf(address, `device ${by.device}`);
      await countOne(database, own);
      return { wasRight: () => withdraw([own], []) };
    },
  };
}
