import { setTimeout as sleep } from "node:timers/promises";
import { gatherCalls, isAppError } from "@touchstone/service-kit";
import type { StoredResult } from "./stored-result.ts";

/** Delays before retries when PostgreSQL fails: a judgement costs more than a retry. */
const retryDelaysMs = [250, 1_000];

/** Stores one result; false when its claim was lost. */
export type StoreResult = (result: StoredResult) => Promise<boolean>;

/** Stores results in groups (see {@link gatherCalls}): ten verdicts that arrive together cost one commit instead of ten. */
export function createGroupedStore(finish: (results: readonly StoredResult[]) => Promise<Set<string>>): StoreResult {
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

  return gatherCalls(async (results) => {
    const stored = await finishPatiently(results);
    return results.map(({ keyDigest }) => stored.has(keyDigest));
  });
}
