import type { WaitingEvents } from "@touchstone/db";
import { createMetrics } from "@touchstone/service-kit";
import { createScriptedClock } from "@touchstone/testkit";
import { expect, test } from "vitest";
import { watchOutbox } from "../src/watch-outbox.ts";

/** A watched outbox whose content a test sets; `scrape` answers the two samples. */
function watchScripted() {
  const clock = createScriptedClock();
  const metrics = createMetrics();
  let waiting: () => Promise<WaitingEvents> = async () => ({ count: 0, oldestId: null, newestId: null });
  let reads = 0;
  watchOutbox(
    {
      readWaiting() {
        reads += 1;
        return waiting();
      },
    },
    { service: "ingest", clock, metrics },
  );
  return {
    clock,
    reads: () => reads,
    holds: (oldestId: number | null, newestId: number | null, count = 1) => {
      waiting = async () => ({ count, oldestId, newestId });
    },
    fails: (failure: () => Promise<WaitingEvents>) => {
      waiting = failure;
    },
    async scrape() {
      const text = await metrics.metrics();
      const readSample = (name: string) =>
        Number(new RegExp(`^${name}\\{service="ingest"\\} (\\S+)$`, "m").exec(text)?.[1]);
      return {
        count: readSample("service_outbox_events_waiting"),
        age: readSample("service_outbox_oldest_event_age_seconds"),
      };
    },
  };
}

test("an event that stays ages, one after it has its own age, and an empty outbox has the age 0", async () => {
  const outbox = watchScripted();
  outbox.holds(7, 9, 3);
  expect(await outbox.scrape()).toEqual({ count: 3, age: 0 });
  await outbox.clock.advance(15_000);
  outbox.holds(7, 20, 14);
  expect(await outbox.scrape()).toEqual({ count: 14, age: 15 });
  await outbox.clock.advance(15_000);
  // The first ones were published; 12 was written before the second scrape.
  outbox.holds(12, 30, 19);
  expect(await outbox.scrape()).toEqual({ count: 19, age: 15 });
  await outbox.clock.advance(15_000);
  outbox.holds(null, 30, 0);
  expect(await outbox.scrape()).toEqual({ count: 0, age: 0 });
});

test("the outbox is read at most every 10 s", async () => {
  const outbox = watchScripted();
  await outbox.scrape();
  await outbox.clock.advance(9_999);
  await outbox.scrape();
  expect(outbox.reads()).toBe(1);
  await outbox.clock.advance(1);
  await outbox.scrape();
  expect(outbox.reads()).toBe(2);
});

test.for([
  { what: "fails", failure: () => Promise.reject(new Error("no database")) },
  { what: "hangs", failure: () => new Promise<never>(() => undefined) },
])("a reading that $what shows -1, and the scrape is answered", async ({ failure }) => {
  const outbox = watchScripted();
  outbox.fails(failure);
  expect(await outbox.scrape()).toEqual({ count: -1, age: -1 });
});
