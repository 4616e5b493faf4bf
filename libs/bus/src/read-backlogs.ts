import { JetStreamApiError } from "@nats-io/jetstream";
import type { Backlog } from "./bus.ts";
import { BusError } from "./bus-error.ts";
import type { Connection } from "./connection.ts";
import { consumerNotFound, openJetStream } from "./event-streams.ts";
import { toBusError } from "./store-message.ts";
import { consumerName, eventStream } from "./subjects.ts";

/** A durable consumer of one event. */
export interface DurableOfEvent {
  durable: string;
  subject: string;
}

/** How many events wait for each durable consumer; see `Bus.readBacklogs`. */
export async function readBacklogs(connection: Connection, durables: readonly DurableOfEvent[]): Promise<Backlog[]> {
  const nats = connection.current();
  if (!nats) throw new BusError("disconnected", "NATS is unavailable", { subject: eventStream });
  try {
    const manager = await openJetStream(nats);
    const backlogs = await Promise.all(
      durables.map(async ({ durable, subject }) => {
        const info = await manager.consumers.info(eventStream, consumerName(durable, subject)).catch(nullIfNotFound);
        return info && { durable, subject, pending: info.num_pending, ackPending: info.num_ack_pending };
      }),
    );
    return backlogs.filter((backlog) => backlog !== null);
  } catch (cause) {
    throw toBusError(cause, nats, eventStream);
  }
}

/** A consumer is set up again after it was deleted; until then it has no backlog. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof JetStreamApiError && error.code === consumerNotFound) return null;
  throw error;
}
