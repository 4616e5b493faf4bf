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

/** How the event store is created. An existing stream is left unchanged, so that an operator's settings persist. */
export interface EventStoreOptions {
  /** Bytes of events kept; the oldest go first. Default 1 GiB, or what part of it the server has left. */
  maxBytes?: number | undefined;
  /** Copies in a NATS cluster. Default 1. */
  replicas?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Days after which events expire unless an operator configured others: dead letters are kept longest, for a replay. */
export const redeliveryMaxDays = 30;
const jetStreamTimeoutMs = 5_000;
const nameInUseWithOtherSettings = 10058;
/** The server's codes for a consumer and a stream that do not exist. */
export const consumerNotFound = 10014;
export const streamNotFound = 10059;
const storageExceeded = 10047;

/** A smaller stream is useless for events: they would expire within moments. */
const streamMinBytes = 16 * 1024 ** 2;

/** The duplicate window of the event stream, within which a repeated message id is dropped. */
const duplicateWindowMs = 120_000;

/** A JetStream manager that makes no request before it is used: the account request needs a separate permission. */
export function openJetStream(nats: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(nats, { checkAPI: false, timeout: jetStreamTimeoutMs });
}

/** The identity that distinguishes a stream from its replacement after it was deleted or its store was wiped. */
export function identityOf({ created }: StreamInfo): string {
  return created;
}

/** Describes the stream of events, created if it is absent. For publishers: others lack the permission. */
export async function describeEventStream(manager: JetStreamManager, options: EventStoreOptions): Promise<StreamInfo> {
  return (await ensureEventStream(manager, options)) ?? (await manager.streams.info(eventStream));
}

/**
 * Creates the stream of events if it is absent. A publisher or a consumer may be the first. Null when an operator
 * configured the stream: then the server does not describe it.
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

/** Creates the stream of dead letters if it is absent. A letter leaves it when it is replayed or expires. */
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
 * A server with less free space than a stream's maximum size refuses the stream: it is asked for a quarter, and so on.
 * Rows wait in an outbox until they are consumed, so a small stream only makes recovery from a long outage slower.
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
