import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, expect, test } from "vitest";
import { type BusWorld, eventually, startBusWorld } from "./bus-world.ts";
import { thingTold } from "./test-messages.ts";

let world: BusWorld | undefined;
afterEach(() => world?.close());

test("a server with less space than the streams' maximum size gives them what it has, and events are delivered", async () => {
  world = await startBusWorld({ storeMaxBytes: 400 * 1024 ** 2 });
  const [publisher, monitor] = await Promise.all([world.open("ingest"), world.open("monitor")]);
  const taken: number[] = [];
  await monitor.consume(thingTold, { durable: "monitor-first" }, async ({ number }) => void taken.push(number));

  await publisher.publish(thingTold, { number: 7 }, { messageId: "7" });

  await eventually(() => expect(taken).toEqual([7]));
  const { streams } = await jetstreamManager(await world.bareClient("admin"));
  const sizes = (await streams.list().next()).map(({ config }) => config.max_bytes);
  expect(sizes.sort()).toEqual([256 * 1024 ** 2, 64 * 1024 ** 2]);
});
