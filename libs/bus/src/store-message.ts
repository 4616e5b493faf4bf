import { type JetStreamManager, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, TimeoutError } from "@nats-io/transport-node";
import { BusError } from "./bus-error.ts";
import { openJetStream } from "./event-streams.ts";
import type { Encoded } from "./wire.ts";

const ackWithinMs = 5_000;

/**
 * Publishes into a stream and resolves with the message's sequence when the stream has it. A stream that was never
 * created, was deleted or was lost with a wiped store is created by `ensure` first. Throws the errors of the client.
 */
export async function storeMessage(
  nats: NatsConnection,
  subject: string,
  message: Encoded,
  ensure: (manager: JetStreamManager) => Promise<unknown>,
): Promise<number> {
  const store = () =>
    jetstream(nats).publish(subject, message.data, { headers: message.headers, timeout: ackWithinMs });
  try {
    return (await store()).seq;
  } catch (error) {
    if (!isNobodyStoring(error)) throw error;
    await ensure(await openJetStream(nats));
    return (await store()).seq;
  }
}

/** Whether no stream accepted a message: there is none for its subject, or the server runs without JetStream. */
export function isNobodyStoring(error: unknown): boolean {
  // The client does not export the class. Despite its name it means "no responders".
  return error instanceof Error && error.name === "JetStreamNotEnabled";
}

/** The publisher's error for an error of the client. */
export function toBusError(cause: unknown, nats: NatsConnection, subject: string): BusError {
  if (nats.isClosed()) return new BusError("disconnected", "NATS closed the connection", { subject, cause });
  if (cause instanceof TimeoutError) {
    return new BusError("timeout", "The event store did not acknowledge in time", { subject, cause });
  }
  if (isNobodyStoring(cause)) return new BusError("no_responder", "NATS runs without JetStream", { subject, cause });
  return new BusError("failed", "The event store refused the event", { subject, cause, code: "internal" });
}
