import { AppError, type Logger } from "@touchstone/service-kit";
import type { Database, Statement } from "./database.ts";

/** The periodic deletion of old rows. */
export interface Trimming {
  /** Deletes rows that are due now; returns their number. */
  trim(): Promise<number>;
  stop(): Promise<void>;
}

const trimEveryMs = 60 * 60_000;
const rowsAtOnce = 5_000;

/**
 * Deletes old rows once an hour, a few thousand at a time, with a statement for that number; several replicas may run
 * it.
 */
export function trimRegularly(options: {
  maintenance: Database;
  statement: (rowsAtOnce: number) => Statement;
  logger: Logger;
  /** Receives the number of rows that one run deleted, if any. */
  onDeleted?: (count: number) => void;
}): Trimming {
  const { maintenance, statement, logger, onDeleted } = options;
  const stopping = new AbortController();
  let trimming: Promise<unknown> | null = null;

  async function trim(): Promise<number> {
    let deleted = 0;
    for (let last = rowsAtOnce; last === rowsAtOnce && !stopping.signal.aborted; deleted += last) {
      last = (await maintenance.query(statement(rowsAtOnce))).rowCount ?? 0;
    }
    if (deleted > 0) onDeleted?.(deleted);
    return deleted;
  }

  const timer = setInterval(() => {
    trimming ??= trim()
      .catch((err) => {
        // Readiness reports an unavailable store, and the next run follows without a retry.
        if (!(err instanceof AppError)) logger.error({ err }, "deleting old rows failed unexpectedly");
      })
      .finally(() => {
        trimming = null;
      });
  }, trimEveryMs);

  return {
    trim,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await trimming;
    },
  };
}
