import { setTimeout as sleep } from "node:timers/promises";
import type { JsMsg } from "@nats-io/jetstream";
import type { EventContract, ServiceName } from "@touchstone/contracts";
import { isAppError, traced } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ConsumeOptions, Consuming, DeadLetter, Delivery } from "./bus.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { storedId, writeDeadLetter } from "./dead-letters.ts";
import { type EventStoreOptions, ensureDeadLetterStream, ensureEventStream } from "./event-streams.ts";
import { type PullOptions, pullDurable } from "./pull-durable.ts";
import { consumerName, durablesOf, eventStream, replayConsumerName, replaySubject } from "./subjects.ts";
import { timings } from "./timings.ts";
import { decodeBody, header, onNats, readHeader } from "./wire.ts";

/** The longest wait between two tries while the database is unavailable. */
const outageDelayMaxMs = 10_000;

const defaults = { ackWaitMs: 30_000, maxDeliver: 5, concurrency: 8, retryDelaysMs: [1_000, 5_000, 20_000, 60_000] };

export interface ConsumeSetup<C extends EventContract> {
  contract: C;
  options: ConsumeOptions;
  handler: (body: z.output<C["body"]>, delivery: Delivery) => Promise<void>;
  service: ServiceName;
  store: EventStoreOptions;
  logger: BusLogger;
  onDeadLetter: (letter: DeadLetter) => void;
}

/** The result of one delivery; `kept`: its dead letter could not be written, so it will be delivered again. */
interface Taken {
  outcome: "handled" | "retried" | "dead" | "kept";
  reason?: string;
  err?: unknown;
}

/** An event being handled. `message` is its latest delivery: only that can be acknowledged. */
interface InHand {
  message: JsMsg;
}

/** Runs one durable consumer of an event: its own deliveries, and the dead letters replayed to it. */
export async function startConsuming<C extends EventContract>(
  connection: Connection,
  setup: ConsumeSetup<C>,
): Promise<Consuming> {
  const { contract, store, logger } = setup;
  const { subject } = contract;
  const options = { ...defaults, ...setup.options };
  const { durable, ackWaitMs, concurrency } = options;
  requireDurable(contract, durable, setup.service);

  const inHand = new Map<string, InHand>();
  const stopping = new AbortController();
  const handle = createHandling(connection, { ...setup, options }, stopping.signal);

  async function take(message: JsMsg): Promise<void> {
    const id = storedId(message);
    const known = inHand.get(id);
    if (known) {
      // Our heartbeats were lost with a connection, and the server redelivered an event that is still being handled.
      known.message = message;
      return;
    }
    const hand = { message };
    inHand.set(id, hand);
    const startedAtMs = Date.now();
    const messageId = readHeader(message.headers, header.messageId) ?? id;
    const attempt = message.info.deliveryCount;
    const { outcome, ...why } = await handle(hand, messageId, attempt);
    inHand.delete(id);
    const durationMs = Date.now() - startedAtMs;
    const facts = { operation: subject, durable, messageId, attempt, outcome, durationMs, ...why };
    if (outcome === "handled") logger.info(facts, "bus event taken");
    else if (outcome === "kept") logger.error(facts, "bus event taken");
    else logger.warn(facts, "bus event taken");
  }

  const shared: Omit<PullOptions, "name" | "filterSubject" | "concurrency"> = {
    stream: eventStream,
    ackWaitMs,
    take,
    logger,
    async ensureStreams(manager) {
      await ensureEventStream(manager, store);
      await ensureDeadLetterStream(manager, store);
    },
  };
  // Two consumers, because the permission to create one names the single subject it may filter.
  const name = consumerName(durable, subject);
  const pulling = pullDurable(connection, { ...shared, name, filterSubject: subject, concurrency });
  const replays = pullDurable(connection, {
    ...shared,
    name: replayConsumerName(durable, subject),
    filterSubject: replaySubject(durable, subject),
    concurrency: 1,
  });
  await Promise.all([pulling.started, replays.started]);

  return {
    async stop() {
      stopping.abort();
      const timeUp = new AbortController();
      const waited = sleep(timings.drainWithinMs, undefined, { signal: timeUp.signal }).catch(() => {});
      await Promise.race([Promise.all([pulling.stop(), replays.stop()]), waited]);
      // Events in progress go to another replica now, not when their acknowledgement is overdue.
      for (const { message } of inHand.values()) message.nak();
      timeUp.abort();
    },
  };
}

type Handle = (hand: InHand, messageId: string, attempt: number) => Promise<Taken>;

/** The handling of one delivery, up to its acknowledgement, its next try or its dead letter. */
function createHandling<C extends EventContract>(
  connection: Connection,
  {
    contract,
    options,
    handler,
    service,
    store,
    logger,
    onDeadLetter,
  }: ConsumeSetup<C> & { options: Required<ConsumeOptions> },
  stopping: AbortSignal,
): Handle {
  const { subject } = contract;
  const { durable, ackWaitMs, maxDeliver, retryDelaysMs } = options;

  return async function handle(hand, messageId, attempt) {
    const body = decodeBody(contract.body, hand.message.data);
    if (!body.ok) return await bury(hand, messageId, attempt, `does not match its contract: ${body.problem}`);
    // The process ended in the middle of the last try, perhaps because of this event.
    if (attempt > maxDeliver) return await bury(hand, messageId, attempt, "no try came to an end");

    const working = setInterval(() => hand.message.working(), ackWaitMs / 3);
    try {
      const traceparent = readHeader(hand.message.headers, header.traceparent);
      const delivery = { messageId, attempt, traceparent };
      await outliveOutages(delivery, () =>
        traced({ service, name: subject, kind: "consumer", attributes: onNats, parent: traceparent ?? "new" }, () =>
          handler(body.body as z.output<C["body"]>, delivery),
        ),
      );
      hand.message.ack();
      return { outcome: "handled" };
    } catch (err) {
      if (attempt >= maxDeliver && !isOutage(err)) return await bury(hand, messageId, attempt, String(err));
      hand.message.nak(stopping.aborted ? 0 : retryDelayMs(attempt));
      return { outcome: "retried", err };
    } finally {
      clearInterval(working);
    }
  };

  /**
   * An outage of the database is not the fault of an event: it is kept and does not use up its tries. The events after it wait in
   * their stream, because no place becomes free. Throws the outage when the consumer stops.
   */
  async function outliveOutages({ messageId }: Delivery, work: () => Promise<void>): Promise<void> {
    for (let outages = 1; ; outages += 1) {
      try {
        return await work();
      } catch (err) {
        if (!isOutage(err) || stopping.aborted) throw err;
        const waitMs = Math.min(retryDelayMs(outages), outageDelayMaxMs);
        logger.warn({ operation: subject, durable, messageId, waitMs, err }, "bus event waits");
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => {
          throw err;
        });
      }
    }
  }

  /** Acknowledges an event only after its dead letter is stored; if that fails, it is delivered again. */
  async function bury(hand: InHand, messageId: string, attempts: number, reason: string): Promise<Taken> {
    const letter: DeadLetter = { durable, subject, messageId, reason, attempts };
    try {
      const nats = connection.current();
      if (!nats) return { outcome: "kept", reason };
      await writeDeadLetter(nats, store, hand.message, letter);
    } catch (err) {
      hand.message.nak(retryDelayMs(attempts));
      return { outcome: "kept", reason, err };
    }
    hand.message.ack();
    onDeadLetter(letter);
    return { outcome: "dead", reason };
  }

  function retryDelayMs(attempt: number): number {
    return retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] ?? 0;
  }
}

const isOutage = (thrown: unknown): boolean => isAppError(thrown) && thrown.isOutage;

/** Throws for a durable name that the contract does not give the service: NATS would refuse it silently. */
export function requireDurable(contract: EventContract, durable: string, service: ServiceName): void {
  const durables = durablesOf(contract, service);
  if (durables.includes(durable)) return;
  const known = durables.length > 0 ? durables.join(", ") : "none";
  throw new Error(`${service} has no durable consumer "${durable}" of ${contract.subject} (declared: ${known})`);
}
