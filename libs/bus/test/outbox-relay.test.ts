import { defineEvent } from "@touchstone/contracts";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Bus,
  BusError,
  createOutboxRelay,
  type OutboxRelay,
  type OutboxRow,
  type OutboxStore,
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

/** An outbox in memory; `fail` may throw on any call. */
function createFakeOutbox(fail: (call: "take" | "settle") => void = () => {}) {
  const rows = new Map<number, OutboxRow>();
  const taken: string[] = [];
  const store: OutboxStore = {
    async take(afterId, limit) {
      fail("take");
      taken.push(afterId);
      const ids = [...rows.keys()].filter((id) => id > Number(afterId)).sort((a, b) => a - b);
      return ids.slice(0, limit).map((id) => rows.get(id) as OutboxRow);
    },
    async settle(published) {
      fail("settle");
      for (const { id } of published) rows.delete(Number(id));
    },
  };
  const commit = (id: number, row: Partial<OutboxRow> = {}): void =>
    void rows.set(id, { id: String(id), subject: told.subject, body: JSON.stringify({ number: id }), ...row });
  return { store, rows, taken, commit };
}

/** A bus that records its calls; `fail` may throw instead of an acknowledgement. */
function createFakeBus(fail: (messageId: string) => void | Promise<void> = () => {}) {
  const published: { messageId: string; number: number }[] = [];
  const bus: Pick<Bus, "publish"> = {
    async publish(contract, body, { messageId }) {
      const { number } = contract.body.parse(body) as { number: number };
      await fail(messageId);
      published.push({ messageId, number });
      return { store: "a store", sequence: published.length };
    },
  };
  return { bus, published, numbers: () => published.map(({ number }) => number) };
}

function createLog() {
  const lines: string[] = [];
  const write = (_: unknown, text?: string): void => void lines.push(text ?? "");
  return {
    lines,
    logger: { info: write, warn: write, error: write } as Parameters<typeof createOutboxRelay>[0]["logger"],
  };
}

type Parts = Parameters<typeof createOutboxRelay>[0];

function start(parts: Pick<Parts, "store" | "bus"> & Partial<Parts>): OutboxRelay {
  const relay = createOutboxRelay({ events: [told], logger: createLog().logger, pollMs: 2, sweepMs: 10, ...parts });
  relays.push(relay);
  return relay;
}

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check);
const away = () => new BusError("disconnected", "NATS is unavailable", { subject: told.subject });

describe("the outbox relay", () => {
  test("publishes each row in the order of ids under a message id of the service, and removes it", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { bus, published } = createFakeBus();
    for (const id of [1, 2, 3]) commit(id);
    start({ store, bus });
    await eventually(() => expect(rows.size).toBe(0));
    expect(published.map(({ number }) => number)).toEqual([1, 2, 3]);
    for (const { messageId, number } of published) expect(messageId).toMatch(new RegExp(`^ingest-${number}-.`));
  });

  test("gives another event under an earlier id a different message id, and the same event the same", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { bus, published } = createFakeBus();
    start({ store, bus });
    for (const number of [1, 2, 1]) {
      commit(7, { body: JSON.stringify({ number }) });
      await eventually(() => expect(rows.size).toBe(0));
    }
    const [first, other, again] = published.map(({ messageId }) => messageId);
    expect(other).not.toBe(first);
    expect(again).toBe(first);
  });

  test("publishes at once when it is woken", async () => {
    const { store, rows, taken, commit } = createFakeOutbox();
    const { bus } = createFakeBus();
    const relay = start({ store, bus, pollMs: 60_000, sweepMs: 60_000 });
    await eventually(() => expect(taken).toHaveLength(1));
    commit(1);
    relay.wake();
    await eventually(() => expect(rows.size).toBe(0));
  });

  test("reads less often while there are no rows, and often again after one", async () => {
    const { store, rows, taken, commit } = createFakeOutbox();
    const { bus } = createFakeBus();
    start({ store, bus, pollMs: 10, sweepMs: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 700));
    // After 0, 20, 60, 140, 300 and 620 ms, or later on a busy machine.
    expect(taken.length).toBeLessThan(8);
    commit(1);
    await eventually(() => expect(rows.size).toBe(0));
    const before = taken.length;
    await eventually(() => expect(taken.length).toBeGreaterThan(before + 2));
  });

  test("woken in the middle of a batch reads once more", async () => {
    const { store, rows, commit } = createFakeOutbox();
    let relay: OutboxRelay | null = null;
    const { bus } = createFakeBus((messageId) => {
      if (!messageId.startsWith("ingest-1-")) return;
      commit(2);
      relay?.wake();
    });
    commit(1);
    relay = start({ store, bus, pollMs: 60_000, sweepMs: 60_000 });
    await eventually(() => expect(rows.size).toBe(0));
  });

  test("handles more than a batch without a pause", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { bus, published } = createFakeBus();
    for (let id = 1; id <= 95; id += 1) commit(id);
    start({ store, bus, pollMs: 60_000, sweepMs: 60_000, batchMax: 10 });
    await eventually(() => expect(rows.size).toBe(0));
    expect(published).toHaveLength(95);
  });

  test("continues from the last id, and finds a row committed late below it with the next sweep", async () => {
    const { store, rows, taken, commit } = createFakeOutbox();
    const { bus, numbers } = createFakeBus();
    commit(10);
    start({ store, bus, sweepMs: 100 });
    await eventually(() => expect(taken).toContain("10"));
    commit(5);
    await eventually(() => expect(rows.size).toBe(0));
    expect(numbers()).toEqual([10, 5]);
  });

  test("keeps every row while the bus is unavailable, logs it once, and publishes all when it is back", async () => {
    const { store, rows, commit } = createFakeOutbox();
    let isAway = true;
    let attempts = 0;
    const { bus, numbers } = createFakeBus(() => {
      attempts += 1;
      if (isAway) throw away();
    });
    const { lines, logger } = createLog();
    for (const id of [1, 2, 3]) commit(id);
    start({ store, bus, logger });
    await eventually(() => expect(attempts).toBeGreaterThanOrEqual(9));
    expect(rows.size).toBe(3);
    isAway = false;
    await eventually(() => expect(rows.size).toBe(0));
    expect(numbers()).toEqual([1, 2, 3]);
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines).toEqual(["outbox relay cannot publish; rows wait until it can", "outbox relay publishes again"]);
  });

  test("removes the acknowledged rows of a batch, even if the rest failed", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { bus, numbers } = createFakeBus((messageId) => {
      if (messageId.startsWith("ingest-2-")) throw away();
    });
    for (const id of [1, 2, 3]) commit(id);
    start({ store, bus });
    await eventually(() => expect([...rows.keys()]).toEqual([2]));
    expect(numbers()).toEqual([1, 3]);
  });

  test.for([
    { name: "a body that does not match its contract", row: { body: '{"number":"two"}' } },
    { name: "a body that is not JSON", row: { body: "{" } },
    { name: "a subject nobody declared", row: { subject: "event.other.told.v1" } },
  ])("leaves a row with $name in the outbox, reports it once, and continues with the others", async ({ row }) => {
    const { store, rows, taken, commit } = createFakeOutbox();
    const { bus, numbers } = createFakeBus();
    const { lines, logger } = createLog();
    commit(1, row);
    commit(2);
    start({ store, bus, logger });
    await eventually(() => expect(taken.filter((afterId) => afterId === "0").length).toBeGreaterThanOrEqual(3));
    expect([...rows.keys()]).toEqual([1]);
    expect(numbers()).toEqual([2]);
    expect(lines).toEqual(["outbox row cannot be published; it stays"]);
  });

  test("leaves a row that is too large in the outbox", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { bus } = createFakeBus((messageId) => {
      if (messageId.startsWith("ingest-1-")) throw new BusError("too_large", "too large", { subject: told.subject });
    });
    commit(1);
    commit(2);
    start({ store, bus });
    await eventually(() => expect([...rows.keys()]).toEqual([1]));
  });

  test("stops only after the current batch, and starts nothing after", async () => {
    const { store, rows, commit } = createFakeOutbox();
    const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
    const { bus, numbers } = createFakeBus(() => acknowledged);
    commit(1);
    const relay = start({ store, bus });
    const stopped = relay.stop();
    commit(2);
    acknowledge();
    await stopped;
    expect(numbers()).toEqual([1]);
    expect([...rows.keys()]).toEqual([2]);
  });

  test("loses no row and repeats none under another id, for any failure at any time", async () => {
    const allIds = fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 40 });
    // Which of the first calls fail; all later ones succeed.
    const failures = fc.array(fc.boolean(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(allIds, failures, async (ids, fails) => {
        const left = [...fails];
        const perhaps = (error: Error): void => {
          if (left.shift()) throw error;
        };
        const { store, rows, commit } = createFakeOutbox((call) => perhaps(new Error(`${call} failed`)));
        const { bus, published } = createFakeBus(() => perhaps(away()));
        const options = { store, bus, pollMs: 1, sweepMs: 1, batchMax: 5 };
        const relay = createOutboxRelay({ events: [told], logger: createLog().logger, ...options });
        for (const id of ids) {
          commit(id);
          relay.wake();
          await Promise.resolve();
        }
        await eventually(() => expect(rows.size).toBe(0));
        await relay.stop();
        expect(new Set(published.map(({ number }) => number))).toEqual(new Set(ids));
        expect(published.every(({ messageId, number }) => messageId.startsWith(`ingest-${number}-`))).toBe(true);
      }),
      { numRuns: 50 },
    );
  }, 30_000);

  describe("of events that may be gathered", () => {
    const listed = defineEvent({
      subject: "event.thing.listed.v1",
      publishedBy: "ingest",
      consumedBy: ["monitor"],
      gathers: "things",
      body: z.object({ things: z.array(z.number()).min(1) }),
    });
    const list = (...things: unknown[]) => ({ subject: listed.subject, body: JSON.stringify({ things }) });

    function createGatheringBus(refuses: (things: readonly number[]) => unknown = () => null) {
      const published: { things: number[]; messageId: string }[] = [];
      const bus: Pick<Bus, "publish"> = {
        async publish(contract, body, { messageId }) {
          const { things } = contract.body.parse(body) as { things: number[] };
          const refusal = refuses(things);
          if (refusal !== null) throw refusal;
          published.push({ things, messageId });
          return { store: "a store", sequence: published.length };
        },
      };
      return { bus, published, batches: () => published.map(({ things }) => things) };
    }

    test("publishes waiting rows as one event, in order, and removes all of them", async () => {
      const { store, rows, commit } = createFakeOutbox();
      const { bus, batches } = createGatheringBus();
      commit(1, list(1, 2));
      commit(2, list(3));
      commit(3, list(4, 5));
      start({ store, bus, events: [told, listed] });
      await eventually(() => expect(rows.size).toBe(0));
      expect(batches()).toEqual([[1, 2, 3, 4, 5]]);
    });

    test("separates rows that may not be combined, and rows that exceed the limit", async () => {
      const { store, rows, commit } = createFakeOutbox();
      const { bus, batches } = createGatheringBus();
      const large = Array.from({ length: 60_000 }, (_, index) => 10_000 + index);
      commit(1, list(...large));
      commit(2, list(1));
      commit(3, list(2));
      start({ store, bus, events: [told, listed] });
      await eventually(() => expect(rows.size).toBe(0));
      expect(batches()).toEqual([large, [1, 2]]);
    });

    test("publishes each individually when one of them makes the event fail, and only that one stays", async () => {
      const { store, rows, commit } = createFakeOutbox();
      const { bus, batches } = createGatheringBus();
      commit(1, list(1));
      commit(2, list("no number"));
      commit(3, { subject: listed.subject, body: "no JSON" });
      commit(4, list(4));
      start({ store, bus, events: [told, listed] });
      await eventually(() => expect([...rows.keys()]).toEqual([2, 3]));
      expect(batches().slice(0, 2)).toEqual([[1], [4]]);
    });

    test("keeps all of them while the bus is unavailable, and loses none", async () => {
      const { store, rows, commit } = createFakeOutbox();
      let isAway = true;
      const { bus, batches } = createGatheringBus(() => (isAway ? away() : null));
      commit(1, list(1));
      commit(2, list(2));
      start({ store, bus, events: [told, listed] });
      commit(3, list(3));
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(rows.size).toBe(3);
      isAway = false;
      await eventually(() => expect(rows.size).toBe(0));
      expect(batches().flat()).toEqual([1, 2, 3]);
    });

    test("gives a different group another message id", async () => {
      const { store, rows, commit } = createFakeOutbox();
      const { bus, published } = createGatheringBus();
      start({ store, bus, events: [told, listed] });
      for (const things of [[1, 2], [1], [1, 2]]) {
        for (const thing of things) commit(thing, list(thing));
        await eventually(() => expect(rows.size).toBe(0));
      }
      const ids = new Map(published.map(({ things, messageId }) => [things.join(), messageId]));
      expect(new Set(ids.values()).size).toBe(ids.size);
    });
  });
});
