import { setImmediate as endOfTurn, setTimeout as sleep } from "node:timers/promises";
import { isAppError } from "@touchstone/service-kit";
import type { StoredResult } from "./stored-result.ts";

/** Pauses before storing again what PostgreSQL could not take: a judgement costs more than a second try. */
const retryDelaysMs = [250, 1_000];

/** Stores one result; false when its claim was lost. */
export type StoreResult = (result: StoredResult) => Promise<boolean>;

/**
 * Stores each result at once when nothing is being stored, together with those that are done in the same turn of the event
 * loop; what is done meanwhile goes together in the next transaction. Ten verdicts that arrive together cost one commit
 * instead of ten, and a slow one waits for nobody.
 */
export function createGroupedStore(finish: (results: readonly StoredResult[]) => Promise<Set<string>>): StoreResult {
  let waiting: { result: StoredResult; resolve: (isStored: boolean) => void; reject: (reason: unknown) => void }[] = [];
  let isStoring = false;

  async function storeWaiting(): Promise<void> {
    isStoring = true;
    await endOfTurn();
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const stored = await finishPatiently(group.map((item) => item.result));
        for (const { result, resolve } of group) resolve(stored.has(result.keyDigest));
      } catch (thrown) {
        for (const { reject } of group) reject(thrown);
      }
    }
    isStoring = false;
  }

  async function finishPatiently(results: readonly StoredResult[]): Promise<Set<string>> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await finish(results);
      } catch (thrown) {
        if (!isAppError(thrown)) throw thrown;
        await sleep(delayMs);
      }
    }
    return finish(results);
  }

  return (result) =>
    new Promise((resolve, reject) => {
      waiting.push({ result, resolve, reject });
      if (!isStoring) void storeWaiting();
    });
}
