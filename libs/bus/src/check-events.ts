import { JetStreamApiError, type StreamInfo } from "@nats-io/jetstream";
import { TimeoutError } from "@nats-io/transport-node";
import { type Clock, createScrapeReading } from "@touchstone/service-kit";
import type { Bus } from "./bus.ts";
import type { BusLogger } from "./bus-logger.ts";
import type { Connection } from "./connection.ts";
import { openJetStream, streamNotFound } from "./event-streams.ts";
import { isNobodyStoring } from "./store-message.ts";
import { eventStream } from "./subjects.ts";

/** The answer of a cluster that has lost most of its servers. */
const withoutLeader = 10008;

/** The election of a leader takes seconds and deserves no line of the log. */
const refusalsReported = 2;

const withoutQuorum =
  "NATS is connected but stores no events: JetStream has no quorum. Start the missing servers of its cluster.";

/**
 * Whether the event store accepts events; see `Bus.checkEvents`. A server without quorum keeps its connections, so
 * their state alone would not show it. A change is one line of the log.
 */
export function createEventsCheck(
  connection: Connection,
  { clock, logger }: { clock: Clock; logger: BusLogger },
): Bus["checkEvents"] {
  let state = "NATS has not answered yet.";
  let refusals = 0;
  const look = createScrapeReading({
    clock,
    async read() {
      const nats = connection.current();
      if (!nats) return;
      const asked = (await openJetStream(nats)).streams.info(eventStream);
      const refusal = await asked.then(describeLeader, describeRefusal);
      // The loss of the connection has a line of its own.
      if (nats.isClosed()) return;
      state = refusal ?? "ok";
      if (refusal === null && refusals >= refusalsReported) logger.info({}, "NATS stores events again");
      refusals = refusal === null ? 0 : refusals + 1;
      if (refusals === refusalsReported)
        logger.error({ events: refusal }, "NATS stores no events; they wait until it does");
    },
  });
  return async () => {
    if (!connection.current()) return "NATS is unavailable.";
    await look();
    return state;
  };
}

/** A server with a copy of the stream describes it without a leader, too; only a leader stores. */
const describeLeader = ({ cluster }: StreamInfo): string | null => (cluster && !cluster.leader ? withoutQuorum : null);

/** Why the stream of events was not described, as a sentence; null for a stream that the first event creates. */
function describeRefusal(error: unknown): string | null {
  if (error instanceof JetStreamApiError && error.code === streamNotFound) return null;
  if (error instanceof JetStreamApiError && error.code === withoutLeader) return withoutQuorum;
  if (error instanceof TimeoutError) return "NATS is connected but stores no events: JetStream does not answer.";
  if (isNobodyStoring(error)) return "NATS is connected but stores no events: it runs without JetStream.";
  return `NATS is connected but stores no events: ${error instanceof Error ? error.message : String(error)}.`;
}
