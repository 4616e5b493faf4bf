import { AppError } from "@touchstone/service-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Bus, DeadLetter } from "../src/index.ts";
import { type BusWorld, eventually, startBusWorld } from "./bus-world.ts";
import { thingTold } from "./test-messages.ts";

let world: BusWorld;
let publisher: Bus;
const dead: DeadLetter[] = [];
const onDeadLetter = (letter: DeadLetter): void => void dead.push(letter);

beforeEach(async () => {
  world = await startBusWorld();
  publisher = await world.open("ingest");
  dead.length = 0;
});
afterEach(() => world?.close());

const tell = (number: number) => publisher.publish(thingTold, { number }, { messageId: `id-${number}` });
const durable = "monitor-first";
const unavailable = () => new AppError("store_unavailable", "The database is unavailable; retry.", { isOutage: true });

test("an event waits for as long as the database is unavailable, and uses up no try", async () => {
  const monitor = await world.open("monitor", { onDeadLetter });
  const attempts: number[] = [];
  const handled: number[] = [];
  const consuming = await monitor.consume(
    thingTold,
    { durable, maxDeliver: 2, retryDelaysMs: [1] },
    async ({ number }, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length <= 7) throw unavailable();
      handled.push(number);
    },
  );
  await tell(1);
  await tell(2);
  await eventually(() => expect(handled.toSorted()).toEqual([1, 2]));
  expect(new Set(attempts)).toEqual(new Set([1]));
  expect(dead).toEqual([]);
  await consuming.stop();
});

test("a consumer that stops during an outage leaves its event to the next one at once", async () => {
  const [monitor, other] = await Promise.all([
    world.open("monitor", { onDeadLetter }),
    world.open("monitor", { onDeadLetter }),
  ]);
  const waiting: number[] = [];
  const options = { durable, maxDeliver: 2, retryDelaysMs: [600_000] };
  const consuming = await monitor.consume(thingTold, options, async ({ number }) => {
    waiting.push(number);
    throw unavailable();
  });
  await tell(1);
  await eventually(() => expect(waiting).toEqual([1]));
  await consuming.stop();

  const handled: number[] = [];
  const next = await other.consume(thingTold, options, async ({ number }) => void handled.push(number));
  await eventually(() => expect(handled).toEqual([1]));
  expect(dead).toEqual([]);
  await next.stop();
});
