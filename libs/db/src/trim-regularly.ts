import { AppError, type Logger } from "@touchstone/service-kit";
import type { Database, Statement } from "./database.ts";

/** The deletion of old rows at work. */
export interface Trimming {
  /** Deletes what is due now; answers how many rows that were. */
  trim(): Promise<number>;
  stop(): Promise<void>;
}

const trimEveryMs = 60 * 60_000;
const rowsAtOnce = 5_000;

/** Deletes old rows once an hour, a few thousand at a time, with the statement for that many; several replicas may. */
export function trimRegularly(options: {
  maintenance: Database;
  statement: (rowsAtOnce: number) => Statement;
  logger: Logger;
  /** Told how many rows one trimming deleted, when there were any. */
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
        // The store being away is readiness's business, and the next turn comes by itself.
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
