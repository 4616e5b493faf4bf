import { setImmediate as endOfTurn } from "node:timers/promises";
import type { KeptVerdict, VerdictRecordStore } from "./verdict-record-store.ts";

/** Rows of one statement. Each is up to 20,000 characters long. */
const batchMax = 200;

/**
 * Keeps verdicts one statement at a time: those that come in one turn of the event loop go together, and so do those that
 * come meanwhile. Each caller is told when its own is committed. A judge has a bounded number of results in hand, so what
 * waits is bounded by that.
 */
export function keepInBatches(record: Pick<VerdictRecordStore, "keep">): (verdict: KeptVerdict) => Promise<void> {
  let waiting: { verdict: KeptVerdict; settled: PromiseWithResolvers<void> }[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    await endOfTurn();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      try {
        await record.keep(batch.map(({ verdict }) => verdict));
        for (const { settled } of batch) settled.resolve();
      } catch (thrown) {
        for (const { settled } of batch) settled.reject(thrown);
      }
    }
    isWriting = false;
  }

  return (verdict) => {
    const settled = Promise.withResolvers<void>();
    waiting.push({ verdict, settled });
    if (!isWriting) void write();
    return settled.promise;
  };
}
