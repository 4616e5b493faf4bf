import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createOldSpansStore } from "../retention/old-spans-store.ts";
import { sweepOldSpans } from "../retention/sweep-old-spans.ts";
import { createTraceRemover } from "../spans/trace-remover.ts";
import { createLease } from "./lease.ts";

/** The retention at work. */
export interface SpanRetention {
  stop(): Promise<void>;
}

/** completions 9.8: hourly. */
const everyMs = 60 * 60 * 1000;
/** After a failure, such as a week that a long query kept from being taken out. */
const retryMs = 60_000;
/** The first sweep leaves a start some room. */
const firstMs = 30_000;

/** Removes hourly what is older than its project keeps; of several replicas only the one that holds the lease does. */
export function retainSpans(options: {
  maintenance: Database;
  /** Of the installation; null = for ever. */
  retentionDays: number | null;
  logger: Logger;
}): SpanRetention {
  const { maintenance, retentionDays, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn: Promise<void> = Promise.resolve();
  const lease = createLease({
    database: maintenance,
    name: "retention",
    logger,
    onAcquired: () => schedule(firstMs),
  });
  const mayGoOn = (): boolean => !stopped && lease.isHeld();
  const store = createOldSpansStore(maintenance);
  const remover = createTraceRemover(maintenance);

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      turn = sweep();
    }, delayMs).unref();
  }

  async function sweep(): Promise<void> {
    // Another replica has it; getting it back schedules the next sweep.
    if (!mayGoOn()) return;
    try {
      const swept = await sweepOldSpans({ store, remover, retentionDays, mayGoOn });
      if (swept.weeks + swept.spans > 0) logger.info(swept, "old traces removed");
      schedule(everyMs);
    } catch (err) {
      logger.warn({ err }, "old traces could not be removed; trying again");
      schedule(retryMs);
    }
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      await lease.stop();
    },
  };
}
