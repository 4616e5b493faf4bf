import { randomUUID } from "node:crypto";
import { AppError, createCounter, createGauge, type Logger, type Metrics } from "@touchstone/service-kit";
import { backOff } from "./retry-rules.ts";
import type { SendVerdicts } from "./send-verdicts.ts";
import type { TakenVerdicts, VerdictExportStore } from "./verdict-export-store.ts";

export interface ExportTimings {
  /** The lease of a batch. Well above the time limit of sending one, so that leases need no renewal. */
  leaseMs: number;
  /** The interval between polls. */
  pollMs: number;
}

const defaultTimings: ExportTimings = { leaseMs: 60_000, pollMs: 1_000 };
/** With the longest justifications about 2 MB before compression. */
const batchSize = 200;
const messageMaxChars = 500;

/** The outcome for verdicts: accepted by the collector, rejected individually, or refused together. */
export type ExportEnding = "sent" | "rejected" | "refused";

/** The running export of verdicts. */
export interface ExportWorker {
  /** Takes no more, and waits for the batch in progress. */
  stop(): Promise<void>;
}

/**
 * Starts sending queued verdicts, one batch at a time. Any number of workers may share the queue. The batch of a killed worker
 * is sent when its lease expires: a collector receives each verdict at least once. After a temporary failure this worker waits
 * for the time the collector requests, or longer each time; other work does not wait.
 */
export function startExportWorker(options: {
  store: VerdictExportStore;
  send: SendVerdicts;
  logger: Logger;
  /** Called with the outcome of verdicts. */
  onEnded: (ending: ExportEnding, count: number) => void;
  /** Called after each failure, since the queue grows meanwhile. */
  onFailing: () => Promise<unknown>;
  timings?: ExportTimings;
}): ExportWorker {
  const { store, send, logger, onEnded, onFailing, timings = defaultTimings } = options;
  let failures = 0;
  let pausedUntilMs = 0;
  let sending: Promise<void> | null = null;
  let isStopping = false;

  async function sendAll(): Promise<void> {
    for (let isFull = true; isFull && !isStopping && performance.now() >= pausedUntilMs; ) {
      const taken = await store.take({ token: randomUUID(), count: batchSize, leaseMs: timings.leaseMs });
      if (taken.places.length > 0) await sendBatch(taken);
      isFull = taken.places.length === batchSize;
    }
  }

  async function sendBatch(taken: TakenVerdicts): Promise<void> {
    const count = taken.verdicts.length;
    const sent = await send(taken.verdicts);
    if (sent.outcome === "later") {
      failures += 1;
      const delayMs = Math.max(backOff(failures, Math.random()), sent.askedDelayMs ?? 0);
      pausedUntilMs = performance.now() + delayMs;
      // The first failure in a row: an outage is logged once.
      if (failures === 1) logger.warn({ reason: sent.reason, delayMs }, "verdicts cannot be exported; trying again");
      await store.putBack(taken);
      await onFailing();
      return;
    }
    if (failures > 0) logger.info({ failures }, "the collector answers again");
    failures = 0;
    // The worker that took them over meanwhile counts them.
    const own = await store.remove(taken);
    if (sent.outcome === "refused") {
      logger.error({ reason: sent.reason, count }, "verdicts were refused by the collector and are dropped");
      onEnded("refused", own);
      return;
    }
    const rejected = Math.min(sent.rejected, own);
    const said = { rejected, count, message: sent.message.slice(0, messageMaxChars) };
    if (rejected > 0) logger.warn(said, "some verdicts were rejected by the collector");
    else if (said.message !== "") logger.info(said, "the collector remarked on verdicts");
    onEnded("sent", own - rejected);
    onEnded("rejected", rejected);
  }

  const timer = setInterval(() => {
    sending ??= sendAll()
      .catch((err) => {
        // Readiness reports an unavailable store, and the next turn retries.
        if (!(err instanceof AppError)) logger.error({ err }, "exporting verdicts failed unexpectedly");
      })
      .finally(() => {
        sending = null;
      });
  }, timings.pollMs);

  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await sending;
    },
  };
}

/** Counts the outcomes of exported verdicts, and reports the length of the queue. */
export function countExports(
  metrics: Metrics,
  store: Pick<VerdictExportStore, "countPending">,
): { onEnded(ending: ExportEnding | "expired", count: number): void } {
  const ended = createCounter(metrics, "service_monitor_verdict_exports_total");
  createGauge(metrics, "service_monitor_verdict_exports_pending", async (gauge) =>
    gauge.set(await store.countPending().catch(() => -1)),
  );
  return { onEnded: (outcome, count) => ended.inc({ outcome }, count) };
}
