import { internalRoutes, toldCountsMax } from "@touchstone/contracts";
import { type Clock, type InternalClient, type Logger, uuidv7 } from "@touchstone/service-kit";
import type { IngestCount, IngestCounts } from "./ingest-counts.ts";

/** Brings what a gateway counted to ingest, where the counts of all gateways are added up. */
export interface CountKeeper {
  start(): void;
  /** Resolves once everything counted before is kept. Throws `service_unavailable`; what is not kept is counted on. */
  flush(): Promise<void>;
  /** Tries a last time, for a second. */
  stop(): Promise<void>;
}

export interface CountKeeperOptions {
  counts: IngestCounts;
  ingest: InternalClient;
  clock: Clock;
  logger: Logger;
  everyMs?: number;
}

const flushDeadlineMs = 5_000;
const lastDeadlineMs = 1_000;

export function createCountKeeper(options: CountKeeperOptions): CountKeeper {
  const { counts, ingest, clock, logger, everyMs = 30_000 } = options;
  let timer: NodeJS.Timeout | null = null;
  let latest: Promise<void> = Promise.resolve();

  /** One at a time: who reads after this has everything before it, too. */
  function flush(deadlineMs: number): Promise<void> {
    const mine = latest.then(() => send(deadlineMs));
    latest = mine.catch(() => undefined);
    return mine;
  }

  async function send(deadlineMs: number): Promise<void> {
    const { counts: taken, missed } = counts.take();
    if (missed > 0) logger.warn({ missed }, "too many projects at once: some requests were not counted");
    while (taken.length > 0) {
      const told = taken.slice(0, toldCountsMax);
      try {
        const bounds = { requestId: uuidv7(clock.now()), deadlineMs };
        await ingest.call(internalRoutes.recordIngestCounts, { counts: told.map(toWire) }, bounds);
      } catch (thrown) {
        counts.giveBack(taken);
        throw thrown;
      }
      taken.splice(0, told.length);
    }
  }

  const sayWhy = (err: unknown): void => logger.warn({ err }, "counts of requests could not be kept yet");

  return {
    start() {
      timer = setInterval(() => void flush(flushDeadlineMs).catch(sayWhy), everyMs).unref();
    },
    flush: () => flush(flushDeadlineMs),
    async stop() {
      if (timer !== null) clearInterval(timer);
      await flush(lastDeadlineMs).catch(sayWhy);
    },
  };
}

function toWire({ projectId, hourMs, outcome, count, lastAtMs, example }: IngestCount) {
  const [hour, lastAt] = [new Date(hourMs).toISOString(), new Date(lastAtMs).toISOString()];
  return { projectId, hour, outcome, count, lastAt, example };
}
