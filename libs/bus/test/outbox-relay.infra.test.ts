import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bus, createOutboxRelay, type OutboxRelay, type OutboxRow } from "../src/index.ts";
import { type BusWorld, eventually, startBusWorld, untilConnected } from "./bus-world.ts";
import { thingTold } from "./test-messages.ts";

let world: BusWorld;
let publisher: Bus;
let monitor: Bus;
let relay: OutboxRelay;
const rows = new Map<number, OutboxRow>();

beforeEach(async () => {
  world = await startBusWorld();
  [publisher, monitor] = await Promise.all([world.open("ingest"), world.open("monitor")]);
  relay = createOutboxRelay({
    bus: publisher,
    events: [thingTold],
    logger: { info() {}, warn() {}, error() {} } as never,
    pollMs: 20,
    store: {
      async take(afterId, limit) {
        return [...rows.values()].filter(({ id }) => Number(id) > Number(afterId)).slice(0, limit);
      },
      async settle(published) {
        for (const { id } of published) rows.delete(Number(id));
      },
    },
  });
});
afterEach(async () => {
  await relay?.stop();
  await world?.close();
  rows.clear();
});

test("NATS killed twice while rows are committed: every event arrives, and the outbox is empty", async () => {
  const seen = new Map<number, number>();
  await monitor.consume(thingTold, { durable: "monitor-first", ackWaitMs: 1_000 }, async ({ number }) => {
    seen.set(number, (seen.get(number) ?? 0) + 1);
  });
  let id = 0;
  const commit = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      id += 1;
      rows.set(id, { id: String(id), subject: thingTold.subject, body: JSON.stringify({ number: id }) });
      relay.wake();
    }
  };

  commit(300);
  await eventually(() => expect(seen.size).toBeGreaterThan(50));
  for (let kill = 0; kill < 2; kill += 1) {
    commit(300);
    await world.nats.kill("SIGKILL");
    commit(300);
    await eventually(() => expect(publisher.status()).toBe("disconnected"));
    expect(rows.size).toBeGreaterThanOrEqual(300);
    await world.nats.restart();
    await Promise.all([publisher, monitor].map(untilConnected));
    commit(300);
  }

  await eventually(() => expect(rows.size).toBe(0));
  await eventually(() => expect(seen.size).toBe(id));
  expect(id).toBe(2_100);
});
