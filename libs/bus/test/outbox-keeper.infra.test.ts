import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Bus,
  createOutboxKeeper,
  createOutboxRelay,
  type EventPlace,
  type KeptOutboxStore,
  type OutboxRelay,
} from "../src/index.ts";
import { type BusWorld, eventually, startBusWorld, untilConnected } from "./bus-world.ts";
import { thingTold } from "./test-messages.ts";

const durables = [
  { service: "monitor", durable: "monitor-first" },
  { service: "monitor", durable: "monitor-second" },
  { service: "gateway", durable: "gateway" },
] as const;

let world: BusWorld;
let storeDir: string;
let publisher: Bus;
let relay: OutboxRelay;
/** The outbox: where each row was published; null if it is not. */
const rows = new Map<number, EventPlace | null>();

beforeEach(async () => {
  storeDir = await mkdtemp(path.join(tmpdir(), "outbox-keeper-"));
  world = await startBusWorld({ storeDir });
  publisher = await world.open("ingest");
  const logger = { info() {}, warn() {}, error() {} } as never;
  const events = [thingTold];
  const keeper = createOutboxKeeper({ store, bus: publisher, events });
  relay = createOutboxRelay({ store, bus: publisher, keeper, events, logger, pollMs: 20, keepMs: 50 });
});
afterEach(async () => {
  await relay?.stop();
  await world?.close();
  await rm(storeDir, { recursive: true, force: true });
  rows.clear();
});

const store: KeptOutboxStore = {
  async take(afterId, limit) {
    const waiting = [...rows].filter(([id, place]) => place === null && id > Number(afterId)).slice(0, limit);
    return waiting.map(([id]) => ({
      id: String(id),
      subject: thingTold.subject,
      body: JSON.stringify({ number: id }),
    }));
  },
  async settle(published) {
    for (const { id, ...place } of published) rows.set(Number(id), place);
  },
  holdsPublished: async () => [...rows.values()].some((place) => place !== null),
  async reopen(held) {
    const lost = [...rows].filter(([, at]) => at && (at.store !== held.store || at.sequence > held.lastSequence));
    for (const [id] of lost) rows.set(id, null);
    return lost.length;
  },
  async trim(done) {
    for (const [id, at] of rows) if (at?.store === done.store && at.sequence <= done.doneThrough) rows.delete(id);
  },
};

/** Commits rows and waits until the event store has them. */
async function publish(...ids: number[]): Promise<void> {
  for (const id of ids) rows.set(id, null);
  await eventually(() => expect([...rows.values()]).not.toContain(null));
}

/** Starts all possible durable consumers, each in a separate service; returns what each received. */
async function consumeUnder(wanted: readonly (typeof durables)[number][]): Promise<Set<number>[]> {
  return await Promise.all(
    wanted.map(async ({ service, durable }) => {
      const seen = new Set<number>();
      const bus = await world.open(service);
      await bus.consume(thingTold, { durable }, async ({ number }) => void seen.add(number));
      return seen;
    }),
  );
}

test("an event leaves the outbox when the last of its durable consumers has acknowledged it", async () => {
  await publish(1, 2);
  const [first, second] = await consumeUnder(durables.slice(0, 2));
  await eventually(() => expect([first?.size, second?.size]).toEqual([2, 2]));
  expect((await publisher.readConsumption(thingTold)).doneThrough).toBe(0);
  expect([...rows.keys()]).toEqual([1, 2]);

  await consumeUnder(durables.slice(2));
  await eventually(() => expect(rows.size).toBe(0));
});

test("a store that is wiped between publication and consumption loses no event", async () => {
  await publish(1, 2, 3);
  await world.nats.kill("SIGKILL");
  await rm(storeDir, { recursive: true, force: true });
  await world.nats.restart();
  await untilConnected(publisher);

  const seen = await consumeUnder(durables);
  await eventually(() => expect(seen).toEqual(durables.map(() => new Set([1, 2, 3]))));
  await eventually(() => expect(rows.size).toBe(0));
});

test("a stream that is deleted and recreated between publication and consumption loses no event", async () => {
  await publish(1, 2, 3);
  const { streams } = await jetstreamManager(await world.bareClient("admin"));
  await streams.delete("TOUCHSTONE_EVENTS");

  const seen = await consumeUnder(durables);
  await eventually(() => expect(seen).toEqual(durables.map(() => new Set([1, 2, 3]))));
  await eventually(() => expect(rows.size).toBe(0));
});

test("events that the stream dropped by its limits leave the outbox, though no consumer read them", async () => {
  await publish(1, 2, 3);
  const { streams } = await jetstreamManager(await world.bareClient("admin"));
  await streams.update("TOUCHSTONE_EVENTS", { max_msgs: 1 });

  await eventually(() => expect([...rows.keys()]).toEqual([3]));
});

test("a stream with an operator's settings is handled in the same way", async () => {
  const { streams } = await jetstreamManager(await world.bareClient("admin"));
  await publish(1);
  await streams.update("TOUCHSTONE_EVENTS", { max_bytes: 1_000_000 });
  await relay.stop();
  await publisher.drain();
  const again = await world.open("ingest");
  const before = await again.publish(thingTold, { number: 2 }, { messageId: "two" });
  expect(before).toEqual({ store: (await again.readConsumption(thingTold)).store, sequence: 2 });
});
