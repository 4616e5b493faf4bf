import { JetStreamApiError, type JetStreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { EventContract } from "@touchstone/contracts";
import type { Bus, Consumption } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import type { EnsuredEventStream } from "./ensured-event-stream.ts";
import {
  consumerNotFound,
  describeEventStream,
  type EventStoreOptions,
  identityOf,
  openJetStream,
  streamNotFound,
} from "./event-streams.ts";
import { toBusError } from "./store-message.ts";
import { allDurablesOf, consumerName, eventStream } from "./subjects.ts";

/** How far durable consumers are; see `Bus.readConsumption`. */
export function createReadConsumption(
  connection: Connection,
  { store, stream }: { store: EventStoreOptions; stream: EnsuredEventStream },
): Bus["readConsumption"] {
  return async (contract) => {
    const { subject } = contract;
    const nats = connection.current();
    if (!nats) throw new BusError("disconnected", "NATS is unavailable", { subject });
    try {
      const consumption = await readConsumption(await openJetStream(nats), store, contract);
      // A stream can be replaced without a loss of the connection; later events go into the new one.
      if ((await stream.identityOn(nats)) !== consumption.store) stream.forget();
      return consumption;
    } catch (cause) {
      throw toBusError(cause, nats, subject);
    }
  };
}

async function readConsumption(
  manager: JetStreamManager,
  store: EventStoreOptions,
  contract: EventContract,
): Promise<Consumption> {
  const before = await describeOrCreate(manager, store);
  const floors = await Promise.all(allDurablesOf(contract).map((durable) => readFloor(manager, durable, contract)));
  // A consumer's answer does not name its stream. An answer of another stream would be mistaken for one of this.
  const after = await manager.streams.info(eventStream);
  if (identityOf(before) !== identityOf(after)) throw new Error("the event store was replaced meanwhile");
  const { first_seq: firstKept, last_seq: lastSequence } = after.state;
  return {
    store: identityOf(after),
    lastSequence,
    doneThrough: Math.max(Math.min(lastSequence, ...floors), firstKept - 1),
  };
}

/** Creation is requested only from a server without a stream: in a cluster it is work for the leader of all streams. */
async function describeOrCreate(manager: JetStreamManager, store: EventStoreOptions): Promise<StreamInfo> {
  try {
    return await manager.streams.info(eventStream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== streamNotFound) throw error;
    return await describeEventStream(manager, store);
  }
}

/** All events up to this sequence were acknowledged; 0 for a consumer that does not exist. */
async function readFloor(manager: JetStreamManager, durable: string, { subject }: EventContract): Promise<number> {
  try {
    return (await manager.consumers.info(eventStream, consumerName(durable, subject))).ack_floor.stream_seq;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === consumerNotFound) return 0;
    throw error;
  }
}
