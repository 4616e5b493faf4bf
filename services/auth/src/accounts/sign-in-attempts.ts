import { createHmac } from "node:crypto";
import type { Database } from "@touchstone/db";
import type { Clock } from "@touchstone/service-kit";
import { type AttemptCounter, createSignInAttemptStore } from "./sign-in-attempt-store.ts";

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

/** Number of free attempts; after that each waits twice as long as the one before, up to a minute. */
const freeAttempts = 5;
/** A client is a newcomer for its first attempts. All newcomers together have this many free attempts. */
const newcomerAttempts = 3;
const freeNewcomerAttempts = 30;
/** Free attempts of a counter without a limit. */
const unlimited = 2 ** 31 - 1;

/**
 * Slows down guessing at one account from many addresses (ASVS 6.3.1), whether or not it exists, without locking out
 * its owner. Each client has a separate counter for each account. Clients that failed a few times at an account also
 * share a counter, which limits the speed of a distributed attack. Newcomers share a wider one, so that the attempts of
 * strangers do not keep the owner from signing in at a new place. A known device has only its own counter.
 */
export function createSignInAttempts(options: { database: Database; secret: string; clock: Clock }): SignInAttempts {
  const { database, secret } = options;
  const { countOne, withdraw } = createSignInAttemptStore(database, options.clock);
  const counterOf = (address: string, what: string, free = freeAttempts): AttemptCounter => ({
    key: createHmac("sha256", secret)
      .update(JSON.stringify(["sign-in attempts", address.trim().toLowerCase(), what]))
      .digest(),
    free,
  });

  async function countStranger(address: string, client: string): Promise<CountedAttempt> {
    const own = counterOf(address, `client ${client}`);
    const newcomers = counterOf(address, "newcomers", freeNewcomerAttempts);
    const all = counterOf(address, "all");
    // An attempt that has to wait is counted nowhere. All lock the rows in the same order, also to withdraw an attempt,
    // so there is no deadlock.
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
      wasRight: () => withdraw(own, isNewcomer ? [newcomers, all] : [all]),
    };
  }

  return {
    async count(address, by) {
      if ("client" in by) return countStranger(address, by.client);
      const own = counterOf(address, `device ${by.device}`);
      await countOne(database, own);
      return { wasRight: () => withdraw(own, []) };
    },
  };
}
