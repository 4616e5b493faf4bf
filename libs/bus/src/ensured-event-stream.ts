import type { NatsConnection } from "@nats-io/transport-node";
import { describeEventStream, type EventStoreOptions, identityOf, openJetStream } from "./event-streams.ts";

/** The event stream as this bus has last seen it. */
export interface EnsuredEventStream {
  /**
   * Sees to the stream once per connection and after each `forget`, and answers its identity. Publishing alone would not
   * tell that it is missing: where a listener hears the subject, the server knows somebody to take the event, and only
   * the acknowledgement never comes.
   */
  identityOn(nats: NatsConnection): Promise<string>;
  /** Says that it may be another one by now, or none. */
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
