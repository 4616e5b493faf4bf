import type { Database } from "@touchstone/db";
import type { Logger, Metrics } from "@touchstone/service-kit";
import { type LeasedTurns, takeLeasedTurns } from "../background/leased-turns.ts";
import { createTraceRemover } from "../trace-store/removing/trace-remover.ts";
import { createOldSpansStore } from "./old-spans-store.ts";
import { sweepOldSpans } from "./sweep-old-spans.ts";
import { createSweepTimer } from "./sweep-timer.ts";

/** completions 9.8: hourly. */
const everyMs = 60 * 60 * 1000;
/** After a failure, such as a week that a long query kept from being detached. */
const retryMs = 60_000;
/** The first sweep waits until startup has finished. */
const firstMs = 30_000;

/** Removes spans past their project's retention every hour, on the one replica that holds the lease. */
export function retainSpans(options: {
  maintenance: Database;
  /** Of the installation; null = unlimited. */
  retentionDays: number | null;
  logger: Logger;
  metrics: Metrics;
}): LeasedTurns {
  const { maintenance, retentionDays, logger, metrics } = options;
  const store = createOldSpansStore(maintenance);
  const remover = createTraceRemover(maintenance);
  const timer = createSweepTimer(metrics);
  return takeLeasedTurns({
    database: maintenance,
    name: "retention",
    lifetimeMs: 60_000,
    firstMs,
    retryMs,
    failure: "old traces could not be removed; trying again",
    logger,
    async takeTurn(mayGoOn) {
      const swept = await timer.time(mayGoOn, () => sweepOldSpans({ store, remover, retentionDays, mayGoOn }));
      if (swept.weeks + swept.spans > 0) logger.info(swept, "old traces removed");
      return everyMs;
    },
  });
}
