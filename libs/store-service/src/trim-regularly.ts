import type { Database, Statement } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type RegularSweep, sweepRegularly } from "./regular-sweep.ts";

const trimEveryMs = 60 * 60_000;
const rowsAtOnce = 5_000;

/**
 * Deletes old rows once an hour, a few thousand at a time, with the statement for that many; several replicas may run
 * it. A sweep returns the number of deleted rows.
 */
export function trimRegularly(options: {
  maintenance: Database;
  statement: (rowsAtOnce: number) => Statement;
  logger: Logger;
  /** Receives the number of rows that one sweep deleted, if there were any. */
  onDeleted?: (count: number) => void;
}): RegularSweep {
  const { maintenance, statement, logger, onDeleted } = options;
  const stopping = new AbortController();

  async function trim(): Promise<number> {
    let deleted = 0;
    for (let last = rowsAtOnce; last === rowsAtOnce && !stopping.signal.aborted; deleted += last) {
      last = (await maintenance.query(statement(rowsAtOnce))).rowCount ?? 0;
    }
    if (deleted > 0) onDeleted?.(deleted);
    return deleted;
  }

  const sweeping = sweepRegularly({
    sweep: trim,
    everyMs: trimEveryMs,
    logger,
    failure: "deleting old rows failed unexpectedly",
  });
  return {
    sweep: trim,
    async stop() {
      stopping.abort();
      await sweeping.stop();
    },
  };
}
