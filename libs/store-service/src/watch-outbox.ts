import type { ServiceName } from "@touchstone/contracts";
import type { OutboxStore } from "@touchstone/db";
import { type Clock, createGauge, createScrapeReading, type Metrics } from "@touchstone/service-kit";

/** The newest event of an outbox at some time: all events up to it had been written by then. */
interface Mark {
  atMs: number;
  newestId: number;
}

const marksMax = 1_000;

/**
 * Metrics of the events that wait in an outbox. Its rows have no time: an event has waited at least since the first
 * scrape that found it, or a newer one, in the outbox.
 */
export function watchOutbox(
  outbox: Pick<OutboxStore, "readWaiting">,
  { service, clock, metrics }: { service: ServiceName; clock: Clock; metrics: Metrics },
): void {
  let marks: Mark[] = [];
  const read = createScrapeReading({
    clock,
    async read() {
      const { count, oldestId, newestId } = await outbox.readWaiting();
      if (oldestId === null || newestId === null) {
        marks = [];
        return { count: 0, ageMs: 0 };
      }
      const nowMs = clock.now();
      marks = [...marks.filter((mark) => mark.newestId >= oldestId), { atMs: nowMs, newestId }];
      // The first one is kept, because it is the age.
      if (marks.length > marksMax) marks = marks.filter((_, index) => index % 2 === 0);
      return { count, ageMs: Math.max(0, nowMs - (marks[0]?.atMs ?? nowMs)) };
    },
  });
  createGauge(metrics, "service_outbox_events_waiting", async (gauge) =>
    gauge.set({ service }, (await read())?.count ?? -1),
  );
  createGauge(metrics, "service_outbox_oldest_event_age_seconds", async (gauge) => {
    const waiting = await read();
    gauge.set({ service }, waiting === null ? -1 : waiting.ageMs / 1_000);
  });
}
