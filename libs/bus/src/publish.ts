import type { EventContract, ServiceName } from "@touchstone/contracts";
import type { Bus } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import type { EnsuredEventStream } from "./ensured-event-stream.ts";
import { type EventStoreOptions, ensureEventStream } from "./event-streams.ts";
import { refuseOversize } from "./refuse-oversize.ts";
import { storeMessage, toBusError } from "./store-message.ts";
import { eventStream } from "./subjects.ts";
import { encodeMessage, header } from "./wire.ts";

// Kept free in every event, so that a dead letter, which adds its reason, still fits.
const deadLetterRoomBytes = 4_096;

/** The publishing half of events; see `Bus.publish`. */
export function createPublish(
  connection: Connection,
  { service, store, stream }: { service: ServiceName; store: EventStoreOptions; stream: EnsuredEventStream },
): Bus["publish"] {
  return async (contract, body, { messageId, traceparent }) => {
    const { subject } = contract;
    requirePublisher(contract, service);
    const checked = contract.body.parse(body);
    const nats = connection.current();
    if (!nats) throw new BusError("disconnected", "NATS is unavailable", { subject });
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
      const identity = await stream.identityOn(nats);
      const sequence = await storeMessage(nats, subject, message, (manager) => ensureEventStream(manager, store));
      return { store: identity, sequence };
    } catch (cause) {
      stream.forget();
      throw toBusError(cause, nats, subject);
    }
  };
}

function requirePublisher(contract: EventContract, service: ServiceName): void {
  if (contract.publishedBy !== service) throw new Error(`${service} does not publish ${contract.subject}`);
}
