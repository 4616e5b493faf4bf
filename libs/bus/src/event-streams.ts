import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { deadLetterStream, deadLetterStreamSubjects, eventStream, eventStreamSubjects } from "./subjects.ts";

/** How the event store is created. An existing stream is left as it is, so that an operator's settings stand. */
export interface EventStoreOptions {
  /** Bytes of events kept; the oldest go first. Default 1 GiB, or what part of it the server has left. */
  maxBytes?: number | undefined;
  /** Copies in a NATS cluster. Default 1. */
  replicas?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Days after which no event comes any more unless an operator set others: dead letters are kept longest, for a replay. */
export const redeliveryMaxDays = 30;
const jetStreamTimeoutMs = 5_000;
const nameInUseWithOtherSettings = 10058;
const storageExceeded = 10047;

/** Less than this is no place for events: what waits longer than a moment would be gone. */
const streamMinBytes = 16 * 1024 ** 2;

/** What the duplicate window of the event stream makes of a message id that is used again. */
const duplicateWindowMs = 120_000;

/** A JetStream manager that asks nothing before it is used: the account question needs a permission of its own. */
export function openJetStream(nats: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(nats, { checkAPI: false, timeout: jetStreamTimeoutMs });
}

/** What tells a stream from one that took its place after it was deleted or its store was wiped. */
export function identityOf({ created }: StreamInfo): string {
  return created;
}

/** Describes the stream of events, created if it is absent. For who publishes: others may not ask. */
export async function describeEventStream(manager: JetStreamManager, options: EventStoreOptions): Promise<StreamInfo> {
  return (await ensureEventStream(manager, options)) ?? (await manager.streams.info(eventStream));
}

/**
 * Creates the stream of events if it is absent. Whoever publishes or consumes may be the first. Null when an operator
 * gave the stream other settings: then the server does not describe it.
 */
export async function ensureEventStream(
  manager: JetStreamManager,
  options: EventStoreOptions,
): Promise<StreamInfo | null> {
  return await ensureStream(manager, {
    name: eventStream,
    subjects: eventStreamSubjects,
    retention: RetentionPolicy.Limits,
    max_age: nanos(7 * dayMs),
    max_bytes: options.maxBytes ?? 1024 ** 3,
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: options.replicas ?? 1,
  });
}

/** Creates the stream of dead letters if it is absent. A letter leaves it by its replay, or in time. */
export async function ensureDeadLetterStream(manager: JetStreamManager, options: EventStoreOptions): Promise<void> {
  await ensureStream(manager, {
    name: deadLetterStream,
    subjects: deadLetterStreamSubjects,
    retention: RetentionPolicy.Workqueue,
    max_age: nanos(redeliveryMaxDays * dayMs),
    max_bytes: 256 * 1024 ** 2,
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: options.replicas ?? 1,
  });
}

type StreamSettings = Parameters<JetStreamManager["streams"]["add"]>[0] & { max_bytes: number };

/**
 * A server with less left than a stream may grow to refuses it: it is asked for a quarter, and so on. Rows wait in an outbox
 * until they were consumed, so a small stream makes a long outage slower to end and loses nothing.
 */
async function ensureStream(manager: JetStreamManager, settings: StreamSettings): Promise<StreamInfo | null> {
  try {
    return await manager.streams.add({ storage: StorageType.File, discard: DiscardPolicy.Old, ...settings });
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    if (error.code === nameInUseWithOtherSettings) return null;
    const lessBytes = Math.floor(settings.max_bytes / 4);
    if (error.code !== storageExceeded || lessBytes < streamMinBytes) throw error;
    return await ensureStream(manager, { ...settings, max_bytes: lessBytes });
  }
}
