import { defineEvent } from "@touchstone/contracts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Bus,
  BusError,
  type Consumption,
  createOutboxKeeper,
  createOutboxRelay,
  type KeptOutboxStore,
  type OutboxRelay,
} from "../src/index.ts";

const told = defineEvent({
  subject: "event.thing.told.v1",
  publishedBy: "ingest",
  consumedBy: ["monitor"],
  body: z.object({ number: z.number() }),
});

const relays: OutboxRelay[] = [];
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
});

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check);

/** An outbox in memory, with the position of each published row. */
function createFakeOutbox() {
  const rows = new Map<number, { store: string; sequence: number } | null>();
  const idsOf = (isWanted: (place: { store: string; sequence: number } | null) => boolean): number[] =>
    [...rows].flatMap(([id, place]) => (isWanted(place) ? [id] : [])).sort((a, b) => a - b);
  const store: KeptOutboxStore = {
    async take(afterId, limit) {
      return idsOf((place) => place === null)
        .filter((id) => id > Number(afterId))
        .slice(0, limit)
        .map((id) => ({ id: String(id), subject: told.subject, body: JSON.stringify({ number: id }) }));
    },
    async settle(published) {
      for (const { id, ...place } of published) if (rows.has(Number(id))) rows.set(Number(id), place);
    },
    async holdsPublished() {
      return idsOf((place) => place !== null).length > 0;
    },
    async reopen(held) {
      const lost = idsOf(
        (place) => place !== null && (place.store !== held.store || place.sequence > held.lastSequence),
      );
      for (const id of lost) rows.set(id, null);
      return lost.length;
    },
    async trim(consumed) {
      const done = idsOf((place) => place?.store === consumed.store && place.sequence <= consumed.doneThrough);
      for (const id of done) rows.delete(id);
    },
  };
  return {
    store,
    rows,
    commit: (id: number): void => void rows.set(id, null),
    unpublished: () => idsOf((p) => p === null),
  };
}

/** An event store in memory that can be wiped or reset, and a consumer that acknowledges up to a given sequence. */
function createFakeEventStore() {
  let name = "first";
  let held: number[] = [];
  let doneThrough = 0;
  let trouble: Error | null = null;
  const heard: number[] = [];
  let reads = 0;
  const bus: Pick<Bus, "publish" | "readConsumption"> = {
    async publish(contract, body) {
      held.push((contract.body.parse(body) as { number: number }).number);
      return { store: name, sequence: held.length };
    },
    async readConsumption(): Promise<Consumption> {
      reads += 1;
      if (trouble) throw trouble;
      return { store: name, lastSequence: held.length, doneThrough };
    },
  };
  return {
    bus,
    heard,
    held: () => held,
    reads: () => reads,
    consumeAll() {
      heard.push(...held.slice(doneThrough));
      doneThrough = held.length;
    },
    wipe(nextName: string) {
      name = nextName;
      held = [];
      doneThrough = 0;
    },
    setBack(length: number) {
      held = held.slice(0, length);
      doneThrough = Math.min(doneThrough, length);
    },
    break(error: Error | null) {
      trouble = error;
    },
  };
}

function start(outbox: ReturnType<typeof createFakeOutbox>, events: ReturnType<typeof createFakeEventStore>) {
  const lines: string[] = [];
  const write = (_: unknown, text?: string): void => void lines.push(text ?? "");
  const logger = { info: write, warn: write, error: write } as Parameters<typeof createOutboxRelay>[0]["logger"];
  const keeper = createOutboxKeeper({ store: outbox.store, bus: events.bus, events: [told] });
  const look = vi.fn(keeper.look);
  const times = { pollMs: 2, keepMs: 4, sweepMs: 60_000, batchMax: 2 };
  relays.push(
    createOutboxRelay({ store: outbox.store, bus: events.bus, keeper: { look }, events: [told], logger, ...times }),
  );
  return { lines, look };
}

/** Waits for two complete checks from now on. */
async function lookTwice(look: ReturnType<typeof start>["look"]): Promise<void> {
  const { length } = look.mock.calls;
  await eventually(() => expect(look.mock.settledResults.length).toBeGreaterThanOrEqual(length + 2));
}

describe("a row of a kept outbox", () => {
  test("stays after its publication, is not published again, and leaves once it is consumed", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    for (const id of [1, 2, 3]) outbox.commit(id);
    const { look } = start(outbox, events);
    await eventually(() => expect(outbox.unpublished()).toEqual([]));
    await lookTwice(look);
    expect([...outbox.rows.keys()]).toEqual([1, 2, 3]);
    expect(events.held()).toEqual([1, 2, 3]);
    events.consumeAll();
    await eventually(() => expect(outbox.rows.size).toBe(0));
  });

  test.for(["another", "a later"])(
    "is published again when the store was wiped before it was consumed: %s",
    async (name) => {
      const outbox = createFakeOutbox();
      const events = createFakeEventStore();
      for (const id of [1, 2, 3, 4, 5]) outbox.commit(id);
      start(outbox, events);
      await eventually(() => expect(outbox.unpublished()).toEqual([]));
      events.wipe(name);
      outbox.commit(6);
      await eventually(() => expect([...events.held()].sort()).toEqual([1, 2, 3, 4, 5, 6]));
      events.consumeAll();
      await eventually(() => expect(outbox.rows.size).toBe(0));
      expect([...events.heard].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    },
  );

  test("is published again when the store lost its end, and what is before it is not", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    for (const id of [1, 2, 3]) outbox.commit(id);
    start(outbox, events);
    await eventually(() => expect(outbox.unpublished()).toEqual([]));
    events.setBack(1);
    await eventually(() => expect([...events.held()].sort()).toEqual([1, 2, 3]));
  });

  test("whose publication was not recorded is published again, and leaves all the same", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    const { settle } = outbox.store;
    outbox.store.settle = async () => {
      outbox.store.settle = settle;
      throw new Error("the process ended here");
    };
    outbox.commit(1);
    start(outbox, events);
    await eventually(() => expect(events.held()).toEqual([1, 1]));
    events.consumeAll();
    await eventually(() => expect(outbox.rows.size).toBe(0));
  });

  test("is published while consumption is unknown, and stays; that is logged once", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    events.break(new BusError("failed", "not allowed", { subject: told.subject }));
    outbox.commit(1);
    const { lines, look } = start(outbox, events);
    await eventually(() => expect(events.held()).toEqual([1]));
    events.consumeAll();
    await lookTwice(look);
    expect([...outbox.rows.keys()]).toEqual([1]);
    events.break(null);
    await eventually(() => expect(outbox.rows.size).toBe(0));
    expect(lines).toEqual([
      "outbox relay cannot tell what was consumed; published rows stay",
      "outbox relay knows again what was consumed",
    ]);
  });

  test("is the only reason to ask the event store what was consumed", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    const { look } = start(outbox, events);
    await lookTwice(look);
    expect(events.reads()).toBe(0);
    outbox.commit(1);
    await eventually(() => expect(events.reads()).toBeGreaterThan(0));
  });

  test("leaves even while the relay finds more to publish with every batch", async () => {
    const outbox = createFakeOutbox();
    const events = createFakeEventStore();
    let id = 1;
    const { take } = outbox.store;
    let isBusy = true;
    outbox.store.take = async (afterId, limit) => {
      await new Promise(setImmediate);
      for (let more = 0; isBusy && more < limit; more += 1) {
        id += 1;
        outbox.commit(id);
      }
      return await take(afterId, limit);
    };
    outbox.commit(1);
    start(outbox, events);
    await eventually(() => expect(events.held()).toContain(1));
    events.consumeAll();
    await eventually(() => expect(outbox.rows.has(1)).toBe(false));
    isBusy = false;
  });
});
