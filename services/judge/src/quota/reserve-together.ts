import { setImmediate as endOfTurn } from "node:timers/promises";
import type { QuotaStore } from "./quota-store.ts";

/** Takes one call of today's and answers the day, or null when the payer's calls of today are taken already. */
export type ReserveOne = (payer: string) => Promise<string | null>;

/**
 * Reserves for one payer in one statement at a time: calls that come in one turn of the event loop go together, and so do
 * those that come meanwhile. All calls of a payer count in one row, and a row is committed once in the time of a sync: one
 * by one, on a slow disk, the last of many would wait for longer than a statement may take. Who comes first is served
 * first. A judge has a bounded number of calls in hand, so what waits is bounded by that.
 */
export function reserveTogether(quota: Pick<QuotaStore, "reserve">, limit: number): ReserveOne {
  const waiting = new Map<string, PromiseWithResolvers<string | null>[]>();

  async function reserveAll(payer: string): Promise<void> {
    await endOfTurn();
    for (;;) {
      const calls = waiting.get(payer) ?? [];
      if (calls.length === 0) break;
      waiting.set(payer, []);
      try {
        const reserved = await quota.reserve(payer, calls.length, limit);
        for (const [index, call] of calls.entries()) call.resolve(index < reserved.calls ? reserved.day : null);
      } catch (thrown) {
        for (const call of calls) call.reject(thrown);
      }
    }
    waiting.delete(payer);
  }

  return (payer) => {
    const call = Promise.withResolvers<string | null>();
    const others = waiting.get(payer);
    if (others === undefined) {
      waiting.set(payer, [call]);
      void reserveAll(payer);
    } else {
      others.push(call);
    }
    return call.promise;
  };
}
