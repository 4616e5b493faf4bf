import type { NatsConnection } from "@nats-io/transport-node";
import { describeEventStream, type EventStoreOptions, identityOf, openJetStream } from "./event-streams.ts";

/** The event stream as this bus last saw it. */
export interface EnsuredEventStream {
  /**
   * Ensures the stream once per connection and after each `forget`, and returns its identity. Publishing alone would
   * not reveal a missing stream: if a listener subscribes to the subject, the server has a receiver for the event, and
   * only the acknowledgement never arrives.
   */
  identityOn(nats: NatsConnection): Promise<string>;
  /** The stream may have been replaced or removed. */
  forget(): void;
}

export function createEnsuredEventStream(store: EventStoreOptions): EnsuredEventStream {
  let ensured: { on: NatsConnection; identity: Promise<string> } | null = null;

  async function ensure(nats: NatsConnection): Promise<string> {
    return identityOf(await describeEventStream(await openJetStream(nats), store));
  }

  return {
    identityOn(nats) {
      if (ensured?.on !== nats) ensured = { on: nats, identity: ensure(nats) };
      return ensured.identity;
    },
    forget() {
      ensured = null;
    },
  };
}
