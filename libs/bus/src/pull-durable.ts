import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  type JsMsg,
  jetstream,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { createBackOff } from "./back-off.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { openJetStream } from "./event-streams.ts";

/** One durable consumer of a stream, kept alive and drained. */
export interface PullOptions {
  stream: string;
  name: string;
  filterSubject: string;
  ackWaitMs: number;
  /** Messages in progress at a time; no more than that are ever requested. */
  concurrency: number;
  /** Creates the streams that are missing. */
  ensureStreams(manager: JetStreamManager): Promise<void>;
  /** Handles one message, acknowledging it or not; never rejects. */
  take(message: JsMsg): Promise<void>;
  logger: BusLogger;
}

const pullExpiresMs = 10_000;
const existsWithOtherSettings = 10148;

/**
 * Pulls messages until stopped. After any interruption (NATS unavailable, the consumer or its stream deleted, the store
 * wiped), it recreates what is missing and continues. `started` resolves after the first attempt.
 */
export function pullDurable(connection: Connection, options: PullOptions): Pulling {
  const { stream, name, concurrency, logger } = options;
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();
  let batch: ConsumerMessages | null = null;
  let startEnded = (): void => {};
  const firstStart = new Promise<void>((resolve) => {
    startEnded = resolve;
  });

  const ended = keepPulling();

  async function keepPulling(): Promise<void> {
    const backOff = createBackOff({ firstMs: 100, mostMs: 5_000 });
    for (;;) {
      const nats = await connection.untilConnected(stopping.signal);
      if (!nats) {
        startEnded();
        return;
      }
      try {
        const consumer = await setUp(nats);
        startEnded();
        while (!stopping.signal.aborted) {
          await pull(consumer);
          backOff.reset();
        }
        return;
      } catch (err) {
        startEnded();
        if (!nats.isClosed())
          logger.warn({ err, stream, consumer: name }, "bus consumer interrupted; setting it up again");
        await backOff.wait(stopping.signal);
      }
    }
  }

  async function setUp(nats: NatsConnection): Promise<Consumer> {
    const manager = await openJetStream(nats);
    await options.ensureStreams(manager);
    const info = await ensureConsumer(manager, stream, {
      durable_name: name,
      filter_subject: options.filterSubject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(options.ackWaitMs),
      // A new consumer starts at the oldest stored event: a repeated event is harmless, a lost one is not.
      deliver_policy: DeliverPolicy.All,
      // Tries are counted here. If the server stopped after some, an event whose process died on the last try would
      // neither be tried again nor become a dead letter.
      max_deliver: -1,
    });
    return jetstream(nats).consumers.getConsumerFromInfo(info);
  }

  async function pull(consumer: Consumer): Promise<void> {
    while (inHand.size >= concurrency) await Promise.race(inHand);
    if (stopping.signal.aborted) return;
    batch = await consumer.fetch({ max_messages: concurrency - inHand.size, expires: pullExpiresMs });
    if (stopping.signal.aborted) void batch.close();
    for await (const message of batch) {
      if (stopping.signal.aborted) message.nak();
      else hold(options.take(message));
    }
  }

  function hold(taking: Promise<void>): void {
    const held = taking.finally(() => inHand.delete(held));
    inHand.add(held);
  }

  return {
    started: connection.firstAttempt.then(() => (connection.current() ? firstStart : undefined)),
    async stop() {
      stopping.abort();
      void batch?.close();
      await ended;
      await Promise.all(inHand);
    },
  };
}

/** A durable consumer being drained. */
export interface Pulling {
  started: Promise<void>;
  /** Requests no more and resolves when nothing is in progress. */
  stop(): Promise<void>;
}

/** Creates a durable consumer, or updates an existing one to these settings. */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  settings: Partial<ConsumerConfig> & { durable_name: string },
): Promise<ConsumerInfo> {
  try {
    return await manager.consumers.add(stream, settings);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== existsWithOtherSettings) throw error;
    return await manager.consumers.update(stream, settings.durable_name, settings);
  }
}
