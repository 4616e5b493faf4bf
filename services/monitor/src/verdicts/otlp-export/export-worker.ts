import { randomUUID } from "node:crypto";
import { AppError, type Logger } from "@touchstone/service-kit";
import { backOff } from "./retry-rules.ts";
import type { SendVerdicts } from "./send-verdicts.ts";
import type { TakenVerdicts, VerdictExportStore } from "./verdict-export-store.ts";

export interface ExportTimings {
  /** How long a batch is a worker's own. Well above what sending one may take, so that no lease has to be renewed. */
  leaseMs: number;
  /** How often verdicts are looked for. */
  pollMs: number;
}

const defaultTimings: ExportTimings = { leaseMs: 60_000, pollMs: 1_000 };
/** With the longest justifications some 2 MB before compression. */
const batchSize = 200;
const messageMaxChars = 500;

/** How verdicts left: taken in by the collector, refused one by one, or refused together. */
export type ExportEnding = "sent" | "rejected" | "refused";

/** The export of verdicts at work. */
export interface ExportWorker {
  /** Takes no more, and waits for what is in hand. */
  stop(): Promise<void>;
}

/**
 * Starts sending what waits, one batch at a time. Any number of workers may share the queue. What a worker had in hand
 * when it was killed is sent when its lease ends: a collector has each verdict at least once. After a failure that may
 * pass this worker waits as the collector asks, or longer each time; nobody waits for it.
 */
export function startExportWorker(options: {
  store: VerdictExportStore;
  send: SendVerdicts;
  logger: Logger;
  /** Told how verdicts left. */
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
      // The first of a row: an outage is told once.
      if (failures === 1) logger.warn({ reason: sent.reason, delayMs }, "verdicts cannot be exported; trying again");
      await store.putBack(taken);
      await onFailing();
      return;
    }
    if (failures > 0) logger.info({ failures }, "the collector answers again");
    failures = 0;
    // Whoever took them over meanwhile counts them.
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
        // The store being away is readiness's business, and the next turn comes by itself.
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
