import type { EventContract, ServiceName } from "@touchstone/contracts";
import type { z } from "zod";
import type { PublishOptions } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import { type EventStoreOptions, ensureEventStream } from "./event-streams.ts";
import { refuseOversize } from "./refuse-oversize.ts";
import { storeMessage, toBusError } from "./store-message.ts";
import { eventStream } from "./subjects.ts";
import { encodeMessage, header } from "./wire.ts";

// Left free in every event, so that a dead letter, which adds its reason, still fits.
const deadLetterRoomBytes = 4_096;

/** Publishes one event; see `Bus.publish`. */
export async function publishEvent<C extends EventContract>(
  connection: Connection,
  { service, store }: { service: ServiceName; store: EventStoreOptions },
  contract: C,
  body: z.input<C["body"]>,
  { messageId, traceparent }: PublishOptions,
): Promise<void> {
  const { subject } = contract;
  if (contract.publishedBy !== service) throw new Error(`${service} does not publish ${subject}`);
  const checked = contract.body.parse(body);
  const nats = connection.current();
  if (!nats) throw new BusError("disconnected", "NATS is away", { subject });
  const message = encodeMessage(
    {
      [header.natsMessageId]: messageId,
      [header.natsExpectedStream]: eventStream,
      [header.messageId]: messageId,
      [header.traceparent]: traceparent ?? null,
    },
    checked,
  );
  refuseOversize(subject, message.bytes, connection.payloadLimitBytes() - deadLetterRoomBytes);
  try {
    await storeMessage(nats, subject, message, (manager) => ensureEventStream(manager, store));
  } catch (cause) {
    throw toBusError(cause, nats, subject);
  }
}
