import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bus, ConsumeOptions, DeadLetter, DeadLetterFate, Delivery, KeptDeadLetter } from "../src/index.ts";
import { type BusWorld, eventually, rejection, requireLine, startBusWorld, untilConnected } from "./bus-world.ts";
import { thingTold } from "./test-messages.ts";

let world: BusWorld;
let storeDir: string;
let publisher: Bus;
let monitor: Bus;
let otherMonitor: Bus;
const dead: DeadLetter[] = [];
const stops: (() => Promise<void>)[] = [];

// A server for each test. Deleting the streams in between would race with the server, which removes files later.
beforeEach(async () => {
  storeDir = await mkdtemp(path.join(tmpdir(), "bus-events-"));
  world = await startBusWorld({ storeDir });
  const onDeadLetter = (letter: DeadLetter): void => void dead.push(letter);
  [publisher, monitor, otherMonitor] = await Promise.all([
    world.open("ingest"),
    world.open("monitor", { onDeadLetter }),
    world.open("monitor", { onDeadLetter }),
  ]);
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await world?.close();
  await rm(storeDir, { recursive: true, force: true });
  dead.length = 0;
});

async function deleteStreams(): Promise<void> {
  const admin = await world.bareClient("admin");
  const { streams } = await jetstreamManager(admin);
  for (const name of await streams.names().next()) await streams.delete(name);
}

interface Taken extends Delivery {
  number: number;
}

/** Consumes into a list; `handle` may throw. */
async function consume(
  bus: Bus,
  options: Partial<ConsumeOptions> = {},
  handle: (taken: Taken) => Promise<void> | void = () => {},
): Promise<Taken[]> {
  const seen: Taken[] = [];
  const consuming = await bus.consume(
    thingTold,
    { durable: "monitor-first", ackWaitMs: 2_000, retryDelaysMs: [20], ...options },
    async ({ number }, delivery) => {
      const taken = { number, ...delivery };
      seen.push(taken);
      await handle(taken);
    },
  );
  stops.push(consuming.stop);
  return seen;
}

const tell = (number: number, messageId: string = randomUUID()) =>
  publisher.publish(thingTold, { number }, { messageId });
const replayAll = () => monitor.sortDeadLetters(thingTold, "monitor-first", () => "replay");
const takenLines = (outcome: string) => world.logs.filter(({ fields }) => fields.outcome === outcome).length;
const numbers = (seen: readonly Taken[]) => seen.map(({ number }) => number).sort((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("an event", () => {
  test("reaches its consumer with the publisher's message id", async () => {
    const seen = await consume(monitor);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    await publisher.publish(thingTold, { number: 1 }, { messageId: "ingest-1", traceparent });
    await eventually(() => expect(seen).toEqual([{ number: 1, messageId: "ingest-1", attempt: 1, traceparent }]));
  });

  test("published twice under one message id is delivered once", async () => {
    const seen = await consume(monitor);
    await tell(1, "same");
    await tell(1, "same");
    await tell(2, "next");
    await eventually(() => expect(numbers(seen)).toContain(2));
    expect(numbers(seen)).toEqual([1, 2]);
  });

  test("published while no consumer runs is kept for it", async () => {
    await consume(monitor);
    await stops.pop()?.();
    for (const number of upTo(5)) await tell(number);
    const seen = await consume(monitor);
    await eventually(() => expect(numbers(seen)).toEqual(upTo(5)));
  });

  test("reaches each of two durable consumers", async () => {
    const first = await consume(monitor, { durable: "monitor-first" });
    const second = await consume(monitor, { durable: "monitor-second" });
    for (const number of upTo(10)) await tell(number);
    await eventually(() => expect([numbers(first), numbers(second)]).toEqual([upTo(10), upTo(10)]));
  });

  test("reaches one of the replicas that share a durable consumer", async () => {
    const one = await consume(monitor, { concurrency: 2 });
    const other = await consume(otherMonitor, { concurrency: 2 });
    await Promise.all(upTo(60).map((number) => tell(number)));
    await eventually(() => expect(numbers([...one, ...other])).toEqual(upTo(60)));
  });

  test("is in progress with at most as many others as agreed", async () => {
    let inHand = 0;
    let most = 0;
    const seen = await consume(monitor, { concurrency: 3 }, async () => {
      inHand += 1;
      most = Math.max(most, inHand);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inHand -= 1;
    });
    await Promise.all(upTo(40).map((number) => tell(number)));
    await eventually(() => expect(numbers(seen)).toEqual(upTo(40)));
    expect(most).toBe(3);
  });

  test("above the size limit is refused by publish, which reserves space for a dead letter's headers", async () => {
    const limit = publisher.maxPayloadBytes() ?? 0;
    const padding = "x".repeat(limit - 2_000);
    const error = await rejection(publisher.publish(thingTold, { number: 1, padding }, { messageId: "large" }));
    expect(error).toMatchObject({ kind: "too_large", limit: limit - 4_096 });
  });

  test("is published by its owner only, and consumed under a declared name only", async () => {
    await expect(monitor.publish(thingTold, { number: 1 }, { messageId: "x" })).rejects.toThrow(/does not publish/);
    const consuming = monitor.consume(thingTold, { durable: "monitor-third" }, async () => {});
    await expect(consuming).rejects.toThrow(/declared: monitor-first, monitor-second/);
  });
});

describe("a failing handler", () => {
  test("gets its event again until it succeeds", async () => {
    const seen = await consume(monitor, {}, ({ attempt }) => {
      if (attempt < 3) throw new Error("not yet");
    });
    await tell(1, "stubborn");
    await eventually(() => expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]));
    await tell(2);
    await eventually(() => expect(numbers(seen)).toContain(2));
    expect(seen.filter(({ number }) => number === 1)).toHaveLength(3);
    expect(dead).toEqual([]);
  });

  test("leaves a dead letter after five tries, which comes back to that consumer alone when it is replayed", async () => {
    let isMended = false;
    const first = await consume(monitor, { durable: "monitor-first" }, () => {
      if (!isMended) throw new Error("poison");
    });
    const second = await consume(monitor, { durable: "monitor-second" });
    await tell(7, "poisoned");
    await eventually(() => expect(dead).toHaveLength(1));
    expect(first).toHaveLength(5);
    expect(dead[0]).toEqual({
      durable: "monitor-first",
      subject: thingTold.subject,
      messageId: "poisoned",
      reason: "Error: poison",
      attempts: 5,
    });
    await eventually(() => expect(first.length + takenLines("retried") + takenLines("dead")).toBe(10));

    isMended = true;
    expect(await replayAll()).toMatchObject({ replay: 1 });
    await eventually(() => expect(first).toHaveLength(6));
    expect(first[5]).toMatchObject({ number: 7, messageId: "poisoned", attempt: 1 });
    expect(await replayAll()).toMatchObject({ replay: 0 });
    const { streams } = await jetstreamManager(await world.bareClient("admin"));
    expect((await streams.info("TOUCHSTONE_DEAD_LETTERS")).state.messages).toBe(0);
    expect(second).toHaveLength(1);
  });

  test("that fails on the replay too leaves a dead letter again", async () => {
    const seen = await consume(monitor, { maxDeliver: 2 }, () => {
      throw new Error("poison");
    });
    await tell(7, "poisoned");
    await eventually(() => expect(dead).toHaveLength(1));
    expect(await replayAll()).toMatchObject({ replay: 1 });
    await eventually(() => expect(dead).toHaveLength(2));
    expect(seen).toHaveLength(4);
    expect(await replayAll()).toMatchObject({ replay: 1 });
  });

  test("leaves letters that can be read, replayed and dropped one by one", async () => {
    const mended = new Set<number>();
    const seen = await consume(monitor, { maxDeliver: 2, retryDelaysMs: [1] }, ({ number }) => {
      if (!mended.has(number)) throw new Error(`cannot take ${number}`);
    });
    for (const number of [1, 2, 3]) {
      await tell(number, `id-${number}`);
      await eventually(() => expect(dead).toHaveLength(number));
    }
    const looks: KeptDeadLetter[][] = [];
    const sort = (decide: (letter: KeptDeadLetter) => DeadLetterFate) => {
      const look: KeptDeadLetter[] = [];
      looks.push(look);
      return monitor.sortDeadLetters(thingTold, "monitor-first", (letter) => {
        look.push(letter);
        return decide(letter);
      });
    };
    expect(await sort(() => "keep")).toEqual({ keep: 3, replay: 0, drop: 0 });
    expect(looks[0]).toMatchObject([
      { id: "1", durable: "monitor-first", subject: thingTold.subject, messageId: "id-1", attempts: 2 },
      { id: "2", reason: "Error: cannot take 2", body: '{"number":2}' },
      { id: "3", messageId: "id-3" },
    ]);
    expect(Date.parse(looks[0]?.[0]?.diedAt ?? "")).toBeGreaterThan(Date.now() - 60_000);

    mended.add(2);
    const fates: Record<string, DeadLetterFate> = { 1: "drop", 2: "replay", 3: "keep" };
    expect(await sort(({ id }) => fates[id] as DeadLetterFate)).toEqual({ keep: 1, replay: 1, drop: 1 });
    await eventually(() => expect(numbers(seen)).toEqual([1, 1, 2, 2, 2, 3, 3]));
    expect(await sort(() => "keep")).toEqual({ keep: 1, replay: 0, drop: 0 });
    expect(looks[2]).toEqual([looks[0]?.[2]]);
  });

  test("that crashes the process is not called without limit", async () => {
    const doomed = await world.spawnProcess("consume", "monitor");
    await tell(1, "deadly");
    await eventually(() => requireLine(doomed.lines, "took 1"));
    doomed.child.kill("SIGKILL");
    const seen = await consume(monitor, { maxDeliver: 1 });
    await eventually(() => expect(dead).toMatchObject([{ messageId: "deadly", reason: "no try came to an end" }]));
    expect(seen).toEqual([]);
  });

  test("killed in the middle loses nothing: another replica gets the event", async () => {
    const doomed = await world.spawnProcess("consume", "monitor");
    await tell(1);
    await eventually(() => requireLine(doomed.lines, "took 1"));
    doomed.child.kill("SIGKILL");
    const seen = await consume(monitor);
    await eventually(() => expect(seen).toMatchObject([{ number: 1, attempt: 2 }]));
  });
});

describe("an event that does not match its contract", () => {
  test.for(["not json", '{"number":"seven"}'])("becomes a dead letter without a try: %s", async (body) => {
    const seen = await consume(monitor);
    const admin = await world.bareClient("admin");
    await admin.request(thingTold.subject, body);
    await eventually(() => expect(dead).toHaveLength(1));
    expect(dead[0]?.reason).toMatch(/^does not match its contract: (not JSON in UTF-8|number: invalid_type)$/);
    await tell(2);
    await eventually(() => expect(numbers(seen)).toEqual([2]));
  });
});

describe("a slow handler", () => {
  test("keeps its event past the acknowledgement time by sending heartbeats", async () => {
    const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 3_500));
    const one = await consume(monitor, { ackWaitMs: 1_000 }, slowly);
    const other = await consume(otherMonitor, { ackWaitMs: 1_000 }, slowly);
    await tell(1);
    await eventually(() => expect(takenLines("handled")).toBe(1));
    expect([...one, ...other]).toHaveLength(1);
  });
});

describe("the event store", () => {
  test("deleted under a running consumer is created again, and both continue", async () => {
    const seen = await consume(monitor);
    await tell(1);
    await eventually(() => expect(numbers(seen)).toEqual([1]));
    await deleteStreams();
    await eventually(async () => {
      await tell(2, "once");
      expect(numbers(seen)).toEqual([1, 2]);
    });
  });

  test("whose consumer alone was deleted delivers its stored events again", async () => {
    const seen = await consume(monitor);
    await tell(1);
    await eventually(() => expect(numbers(seen)).toEqual([1]));
    const admin = await world.bareClient("admin");
    const { consumers } = await jetstreamManager(admin);
    for (const { name } of await consumers.list("TOUCHSTONE_EVENTS").next()) {
      await consumers.delete("TOUCHSTONE_EVENTS", name);
    }
    await tell(2);
    await eventually(() => expect(numbers(seen)).toEqual([1, 1, 2]));
  });

  test("killed and started again delivers its stored events", async () => {
    const seen = await consume(monitor);
    await tell(1);
    await world.nats.kill("SIGKILL");
    await eventually(() => expect(publisher.status()).toBe("disconnected"));
    expect(await rejection(tell(2))).toMatchObject({ kind: "disconnected" });
    await world.nats.restart();
    await Promise.all([publisher, monitor, otherMonitor].map(untilConnected));
    await tell(3);
    await eventually(() => expect(new Set(numbers(seen))).toEqual(new Set([1, 3])));
  });

  test("wiped during an outage is created again", async () => {
    const seen = await consume(monitor);
    await tell(1);
    await eventually(() => expect(numbers(seen)).toEqual([1]));
    await world.nats.kill("SIGKILL");
    await rm(storeDir, { recursive: true, force: true });
    await world.nats.restart();
    await Promise.all([publisher, monitor, otherMonitor].map(untilConnected));
    await tell(2);
    await eventually(() => expect(numbers(seen)).toEqual([1, 2]));
  });

  test("unavailable at the start is waited for", async () => {
    await world.nats.kill("SIGKILL");
    await eventually(() => expect(monitor.status()).toBe("disconnected"));
    const seen = await consume(monitor);
    await world.nats.restart();
    await Promise.all([publisher, monitor, otherMonitor].map(untilConnected));
    await tell(1);
    await eventually(() => expect(numbers(seen)).toEqual([1]));
  });
});

describe("a listener", () => {
  test("on every replica receives every event, also after NATS came back", async () => {
    const gateways = await Promise.all([world.open("gateway"), world.open("gateway")]);
    const heard: number[][] = [[], []];
    for (const [index, gateway] of gateways.entries()) {
      const listening = await gateway.listen(thingTold, ({ number }) => void heard[index]?.push(number));
      stops.push(listening.stop);
    }
    await tell(1);
    await eventually(() => expect(heard).toEqual([[1], [1]]));
    await world.nats.kill("SIGKILL");
    await world.nats.restart();
    await Promise.all([publisher, monitor, otherMonitor, ...gateways].map(untilConnected));
    await tell(2);
    await eventually(() =>
      expect(heard).toEqual([
        [1, 2],
        [1, 2],
      ]),
    );
  });

  test("does not hide from the publisher that the store is gone", async () => {
    const gateway = await world.open("gateway");
    const heard: number[] = [];
    const listening = await gateway.listen(thingTold, ({ number }) => void heard.push(number));
    stops.push(listening.stop);
    await tell(1);
    await deleteStreams();
    expect(await rejection(tell(2))).toMatchObject({ kind: "timeout" });
    const seen = await consume(monitor);
    await eventually(async () => {
      await tell(3, "once");
      expect(numbers(seen)).toEqual([3]);
    });
    // The listener and the consumer receive events independently, in no order between them.
    await eventually(() => expect(heard.slice(0, 3)).toEqual([1, 2, 3]));
  });

  test("continues after a handler that throws and after an invalid message, and logs both", async () => {
    const gateway = await world.open("gateway");
    const heard: number[] = [];
    const listening = await gateway.listen(thingTold, ({ number }) => {
      heard.push(number);
      throw new Error("clumsy");
    });
    const admin = await world.bareClient("admin");
    admin.publish(thingTold.subject, "not json");
    await tell(1);
    await tell(2);
    await eventually(() => expect(heard).toEqual([1, 2]));
    await listening.stop();
    await tell(3);
    expect(world.logs.filter(({ text }) => text === "bus listener failed")).toHaveLength(2);
    expect(heard).toEqual([1, 2]);
  });
});
