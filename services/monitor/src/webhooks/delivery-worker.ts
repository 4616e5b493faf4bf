import { randomUUID } from "node:crypto";
import { AppError, createCounter, type Logger, type Metrics } from "@touchstone/service-kit";
import type { DeliveryEnding, DeliveryStore, TakenDelivery } from "./delivery-store.ts";
import type { SendDelivery } from "./send-delivery.ts";

export interface DeliveryTimings {
  /** The lease of a message. Well above the time limit of a try, so that leases need no renewal. */
  leaseMs: number;
  /** The interval between polls for due messages. */
  pollMs: number;
}

const deliveryTimings: DeliveryTimings = { leaseMs: 30_000, pollMs: 1_000 };

/**
 * Concurrent messages per replica: in total, of one project, and to one host. More per project than per host, so that a dead
 * host leaves capacity for the others of its project.
 */
const inHandMax = { all: 32, perProject: 12, perHost: 8 } as const;

/** Sends messages as they become due. */
export interface DeliveryWorker {
  /** Makes one try of a message immediately. False when another worker holds it. With `isOnly` there are no retries. */
  sendNow(delivery: { projectId: string; id: string; isOnly: boolean }): Promise<boolean>;
  /** Starts polling for due messages. `stop` takes no more, and waits for those in progress. */
  start(): { stop(): Promise<void> };
}

/**
 * Creates a worker. Any number of workers may share the messages. A try whose worker is killed is repeated when its lease
 * expires, with the same id: delivery is at least once.
 */
export function createDeliveryWorker(options: {
  store: DeliveryStore;
  send: SendDelivery;
  logger: Logger;
  timings?: DeliveryTimings;
  /** Called with the outcome of each try. */
  onEnded?: (outcome: DeliveryEnding["outcome"]) => void;
}): DeliveryWorker {
  const { store, send, logger, timings = deliveryTimings, onEnded } = options;
  const hands = new Map<TakenDelivery, Promise<void>>();
  let looking: Promise<void> | null = null;
  let isStopping = false;

  async function look(): Promise<void> {
    for (let isFull = true; isFull && !isStopping; ) {
      const count = inHandMax.all - hands.size;
      if (count <= 0) return;
      const taken = await store.take({
        token: randomUUID(),
        count,
        perProject: inHandMax.perProject,
        perHost: inHandMax.perHost,
        inHand: [...hands.keys()],
        leaseMs: timings.leaseMs,
      });
      for (const delivery of taken) begin(delivery);
      isFull = taken.length > 0;
    }
  }

  function begin(delivery: TakenDelivery): void {
    const work = attempt(delivery, false)
      .catch((err) => {
        // The lease expires, and the message is sent again.
        logger.warn({ err, deliveryId: delivery.id }, "what became of a webhook delivery could not be written");
      })
      .finally(() => {
        hands.delete(delivery);
        lookSoon();
      });
    hands.set(delivery, work);
  }

  async function attempt(delivery: TakenDelivery, isOnly: boolean): Promise<void> {
    const tried = await send(delivery);
    const ending: DeliveryEnding = isOnly && tried.outcome === "retry" ? { ...tried, outcome: "failed" } : tried;
    if (!(await store.settle(delivery, ending))) return;
    onEnded?.(ending.outcome);
    if (ending.outcome === "delivered") return;
    const { projectId, id: deliveryId, webhookId, event, attempt: number } = delivery;
    const { outcome, lastStatus, lastError } = ending;
    logger.info(
      { projectId, deliveryId, webhookId, event, attempt: number, outcome, lastStatus, lastError },
      "a webhook delivery did not succeed",
    );
  }

  function lookSoon(): void {
    if (isStopping) return;
    looking ??= look()
      .catch((err) => {
        // Readiness reports an unavailable store, and the next turn retries.
        if (!(err instanceof AppError)) logger.error({ err }, "looking for webhook deliveries failed unexpectedly");
      })
      .finally(() => {
        looking = null;
      });
  }

  return {
    async sendNow({ projectId, id, isOnly }) {
      const delivery = await store.takeOne({ projectId, id, token: randomUUID(), leaseMs: timings.leaseMs });
      if (delivery === null) return false;
      await attempt(delivery, isOnly);
      return true;
    },
    start() {
      const timer = setInterval(lookSoon, timings.pollMs);
      return {
        async stop() {
          isStopping = true;
          clearInterval(timer);
          await looking;
          await Promise.all(hands.values());
        },
      };
    },
  };
}

/** Counts the outcomes of tries. */
export function countDeliveries(metrics: Metrics): (outcome: DeliveryEnding["outcome"]) => void {
  const tries = createCounter(metrics, "service_monitor_webhook_tries_total");
  return (outcome) => tries.inc({ outcome });
}
