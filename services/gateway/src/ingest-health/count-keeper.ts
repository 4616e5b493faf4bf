import { setTimeout as sleep } from "node:timers/promises";
import { internalRoutes, reportedCountsMax } from "@touchstone/contracts";
import { type Clock, type InternalClient, type Logger, uuidv7 } from "@touchstone/service-kit";
import type { IngestCount, IngestCounts } from "./ingest-counts.ts";

/** Sends a gateway's counts to ingest, which adds up those of all gateways. */
export interface CountKeeper {
  start(): void;
  /** Resolves once all earlier counts are stored. Throws `service_unavailable`; then the counts stay in memory. */
  flush(): Promise<void>;
  /** Sends the remaining counts, for at most a second. */
  stop(): Promise<void>;
}

export interface CountKeeperOptions {
  counts: IngestCounts;
  ingest: InternalClient;
  clock: Clock;
  logger: Logger;
}

const everyMs = 30_000;
const flushDeadlineMs = 5_000;
const lastDeadlineMs = 1_000;

export function createCountKeeper({ counts, ingest, clock, logger }: CountKeeperOptions): CountKeeper {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let waiting: Promise<void> | null = null;

  /** One at a time; calls during a flush share the next one, which includes all of their counts. */
  function flush(deadlineMs: number): Promise<void> {
    if (running === null) {
      running = send(deadlineMs).finally(() => {
        running = null;
      });
      return running;
    }
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = null;
        return flush(deadlineMs);
      });
    return waiting;
  }

  async function send(deadlineMs: number): Promise<void> {
    const { counts: taken, missed } = counts.take();
    if (missed > 0) logger.warn({ missed }, "too many projects at once: some requests were not counted");
    while (taken.length > 0) {
      const reported = taken.slice(0, reportedCountsMax);
      try {
        const bounds = { requestId: uuidv7(clock.now()), deadlineMs };
        await ingest.call(internalRoutes.recordIngestCounts, { counts: reported.map(toWire) }, bounds);
      } catch (thrown) {
        counts.restore(taken);
        throw thrown;
      }
      taken.splice(0, reported.length);
    }
  }

  const sayWhy = (err: unknown): void => logger.warn({ err }, "counts of requests could not be stored yet");

  return {
    start() {
      timer = setInterval(() => void flush(flushDeadlineMs).catch(sayWhy), everyMs).unref();
    },
    flush: () => flush(flushDeadlineMs),
    async stop() {
      if (timer !== null) clearInterval(timer);
      await Promise.race([flush(lastDeadlineMs).catch(sayWhy), sleep(lastDeadlineMs, undefined, { ref: false })]);
    },
  };
}

function toWire({ projectId, hourMs, outcome, count, lastAtMs, example }: IngestCount) {
  const [hour, lastAt] = [new Date(hourMs).toISOString(), new Date(lastAtMs).toISOString()];
  return { projectId, hour, outcome, count, lastAt, example };
}
