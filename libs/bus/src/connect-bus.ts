import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "@touchstone/service-kit";
import { startAnswering } from "./answer.ts";
import { createAsking } from "./ask.ts";
import type { Bus, DeadLetter } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import { createEventsCheck } from "./check-events.ts";
import { type ConnectionOptions, keepConnected } from "./connection.ts";
import { requireDurable, startConsuming } from "./consume.ts";
import { sortLetters } from "./dead-letters.ts";
import { createEnsuredEventStream } from "./ensured-event-stream.ts";
import type { EventStoreOptions } from "./event-streams.ts";
import { startListening } from "./listen.ts";
import { createMuxInbox } from "./mux-inbox.ts";
import { createPublish } from "./publish.ts";
import { type DurableOfEvent, readBacklogs } from "./read-backlogs.ts";
import { createReadConsumption } from "./read-consumption.ts";
import { toBusError } from "./store-message.ts";
import { controlInbox } from "./subjects.ts";

export interface BusOptions extends ConnectionOptions {
  /** How the event store is created if it does not exist. */
  eventStore?: EventStoreOptions;
  /** The clock of deadlines. Default {@link systemClock}. */
  clock?: Clock;
  /** Called for every event that is given up, for a counter. */
  onDeadLetter?: (letter: DeadLetter) => void;
}

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Opens the bus. Never throws because NATS is unavailable: it connects in the background and reconnects after every
 * loss, without limit. {@link Bus.status} shows the state.
 */
export function connectBus(options: BusOptions): Bus {
  const { service, clock = systemClock, logger } = options;
  const busId = randomUUID();
  const store = options.eventStore ?? {};
  const onDeadLetter = options.onDeadLetter ?? (() => {});
  const connection = keepConnected(options);
  const stream = createEnsuredEventStream(store);
  const asking = createAsking(connection, { service, busId, clock, logger });
  // A cancel that arrives after the work is done, or a notice about a last message without a receiver.
  const control = createMuxInbox(connection, controlInbox(service, busId), () => {});
  const running = new Set<Stoppable>();
  const durables: DurableOfEvent[] = [];

  /** Records what `drain` has to stop. */
  async function kept(starting: Promise<Stoppable>): Promise<Stoppable> {
    const started = await starting;
    let stopped: Promise<void> | null = null;
    const stoppable: Stoppable = {
      stop() {
        running.delete(stoppable);
        stopped ??= started.stop();
        return stopped;
      },
    };
    running.add(stoppable);
    return stoppable;
  }

  return {
    request: asking.request,
    answer: (contract, handler, { concurrency }) =>
      kept(startAnswering(connection, { contract, handler, concurrency, service, control, clock, logger })),
    publish: createPublish(connection, { service, store, stream }),
    readConsumption: createReadConsumption(connection, { store, stream }),
    consume(contract, consumeOptions, handler) {
      durables.push({ durable: consumeOptions.durable, subject: contract.subject });
      const setup = { contract, options: consumeOptions, handler, service, store, logger, onDeadLetter };
      return kept(startConsuming(connection, setup));
    },
    listen: (contract, handler) => kept(startListening(connection, { service, logger }, contract, handler)),
    async sortDeadLetters(contract, durable, decide) {
      requireDurable(contract, durable, service);
      const nats = connection.current();
      if (!nats) throw new BusError("disconnected", "NATS is unavailable", { subject: contract.subject });
      const { subject } = contract;
      const fates = await sortLetters(nats, store, { durable, subject }, decide).catch((cause) => {
        throw toBusError(cause, nats, subject);
      });
      logger.info({ operation: contract.subject, durable, ...fates }, "bus sorted dead letters");
      return fates;
    },
    status: () => (connection.current() ? "connected" : "disconnected"),
    checkEvents: createEventsCheck(connection, { clock, logger }),
    readBacklogs: () => readBacklogs(connection, durables),
    maxPayloadBytes: () => (connection.current() ? connection.payloadLimitBytes() : null),
    async drain() {
      await Promise.all([...running].map((started) => started.stop()));
      asking.close();
      await connection.close();
    },
  };
}
