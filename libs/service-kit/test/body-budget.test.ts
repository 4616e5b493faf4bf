import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { AppError, type BodyShare, createBodyBudget, type Tenant } from "../src/index.ts";

const mebibyte = 1024 * 1024;
const refuse = () => new AppError("queue_full", "no room");
const noRoom = { code: "queue_full" };
/** 2 MiB for small bodies, 6 MiB for large ones. */
const bytesMax = 8 * mebibyte;

function createBudget(options: { turnMs?: number; turnsMax?: number } = {}) {
  const budget = createBodyBudget({ bytesMax, ...options });
  return { ...budget, open: (tenant?: Tenant) => budget.open(refuse, tenant) };
}

async function enter(share: BodyShare, bytes: number): Promise<BodyShare> {
  await share.enter(bytes);
  return share;
}

/** The state of a promise at the end of this turn of the event loop. */
async function stateOf(promise: Promise<unknown>): Promise<"waits" | "admitted" | "refused"> {
  return Promise.race([
    promise.then(
      () => "admitted" as const,
      () => "refused" as const,
    ),
    sleep(0).then(() => "waits" as const),
  ]);
}

test("a large body that does not fit waits, is admitted when another leaves, and is refused when none leaves in time", async () => {
  const budget = createBudget({ turnMs: 30 });
  const first = await enter(budget.open(), 4 * mebibyte);
  const second = budget.open();
  const entering = second.enter(3 * mebibyte);
  expect(await stateOf(entering)).toBe("waits");

  first.release();
  await entering;
  await expect(budget.open().enter(4 * mebibyte)).rejects.toMatchObject(noRoom);
  second.release();
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("a waiting body is not overtaken by smaller ones that would fit, whether they are new or grow large", async () => {
  const budget = createBudget();
  const holder = await enter(budget.open(), 4 * mebibyte);
  const growing = await enter(budget.open(), 1_000);
  const order: string[] = [];
  const waiters = [budget.open(), budget.open()] as const;
  const all = [
    waiters[0].enter(5 * mebibyte).then(() => order.push("large")),
    waiters[1].enter(mebibyte).then(() => order.push("new")),
    growing.enter(100_000).then(() => order.push("grown")),
  ];
  expect(await stateOf(all[1] as Promise<unknown>)).toBe("waits");
  expect(await stateOf(all[2] as Promise<unknown>)).toBe("waits");

  holder.release();
  await all[0];
  await all[1];
  waiters[0].release();
  await Promise.all(all);
  expect(order).toEqual(["large", "new", "grown"]);
});

test("a body larger than all the memory is admitted when there is no other large one", async () => {
  const budget = createBudget();
  const small = await enter(budget.open(), 60_000);
  const giant = await enter(budget.open(), 64 * mebibyte);
  giant.take(64 * mebibyte);

  expect(budget.bytes()).toEqual({ small: 60_000, large: 128 * mebibyte });
  expect(await stateOf(budget.open().enter(100_000))).toBe("waits");
  for (const share of [small, giant]) share.release();
});

test("small bodies are admitted while large ones use all their memory, up to a reserved part", async () => {
  const budget = createBudget();
  await budget.open().enter(6 * mebibyte);
  const part = Array.from({ length: 32 }, () => enter(budget.open(), 64 * 1024));
  const shares = await Promise.all(part);

  await expect(budget.open().enter(1)).rejects.toMatchObject(noRoom);
  shares[0]?.release();
  await budget.open().enter(64 * 1024);
});

test("an admitted body grows at once or is refused, and keeps what it had", async () => {
  const budget = createBudget();
  const other = await enter(budget.open(), 4 * mebibyte);
  const growing = await enter(budget.open(), mebibyte);

  growing.take(mebibyte);
  expect(() => growing.take(1)).toThrow("no room");
  await expect(growing.enter(1)).rejects.toMatchObject(noRoom);
  expect(budget.bytes().large).toBe(6 * mebibyte);
  growing.take(-mebibyte);
  other.release();
  growing.take(4 * mebibyte);
  growing.release();
  growing.release();
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("a body that gives up waiting is refused, and lets the next one in", async () => {
  const budget = createBudget();
  await budget.open().enter(4 * mebibyte);
  const leaving = budget.open();
  const left = leaving.enter(4 * mebibyte);
  const next = budget.open().enter(mebibyte);
  expect(await stateOf(next)).toBe("waits");

  leaving.release();
  await expect(left).rejects.toMatchObject(noRoom);
  await next;
});

test("a released body gets no more memory, so that work that continues with it ends", async () => {
  const budget = createBudget();
  for (const bytes of [1_024, mebibyte]) {
    const share = await enter(budget.open(), 1_024);
    share.release();
    await expect(share.enter(bytes)).rejects.toMatchObject(noRoom);
    expect(() => share.take(bytes)).toThrow("no room");
    share.take(-1_024);
  }
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("the number of waiting bodies is limited", async () => {
  const budget = createBudget({ turnsMax: 1 });
  await budget.open().enter(6 * mebibyte);
  const waiting = budget.open().enter(mebibyte);
  await expect(budget.open().enter(mebibyte)).rejects.toMatchObject(noRoom);
  expect(await stateOf(waiting)).toBe("waits");
});

const one: Tenant = { projectId: "one", organizationId: null };
const two: Tenant = { projectId: "two", organizationId: null };

test("a project that uses its whole share, small and large, leaves memory for another one", async () => {
  const budget = createBudget();
  await budget.open(one).enter(6 * mebibyte);
  await Promise.all(Array.from({ length: 32 }, () => enter(budget.open(one), 64 * 1024)));
  await expect(budget.open(one).enter(1)).rejects.toMatchObject(noRoom);

  await budget.open(two).enter(64 * 1024);
  await budget.open(two).enter(512 * 1024);
});

test("the large body of the project that uses least is admitted first, whenever it arrived", async () => {
  const budget = createBudget();
  const holders = [await enter(budget.open(one), 4 * mebibyte), await enter(budget.open(one), 2 * mebibyte)];
  const order: string[] = [];
  const waiting = [
    ...[1, 2].map((number) =>
      budget
        .open(one)
        .enter(2 * mebibyte)
        .then(() => order.push(`one ${number}`)),
    ),
    budget
      .open(two)
      .enter(2 * mebibyte)
      .then(() => order.push("two")),
  ];
  expect(await stateOf(waiting[2] as Promise<unknown>)).toBe("waits");

  for (const holder of holders) holder.release();
  await Promise.all(waiting);
  expect(order[0]).toBe("two");
});

test("bodies that arrive slowly give way to a project that uses less, when it is its turn; those being processed do not", async () => {
  const budget = createBudget({ turnMs: 20 });
  const given: string[] = [];
  const inWork = await enter(budget.open(one), mebibyte);
  const slow = await enter(budget.open(one), 4 * mebibyte);
  const slower = await enter(budget.open(one), mebibyte);
  inWork.giveWay(() => given.push("in work"));
  inWork.giveWay(null);
  slow.giveWay(({ code }) => given.push(`slow ${code}`));
  slower.giveWay(() => given.push("slower"));

  // Reserved memory is not taken from the same project.
  await expect(budget.open(one).enter(4 * mebibyte)).rejects.toMatchObject(noRoom);
  expect(given).toEqual([]);
  const entered = await enter(budget.open(two), 4 * mebibyte);
  expect(given).toEqual(["slow queue_full"]);
  expect(budget.bytes().large).toBe(6 * mebibyte);

  await expect(slow.enter(1)).rejects.toMatchObject(noRoom);
  for (const share of [slow, slower, inWork, entered]) share.release();
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("small bodies that arrive slowly give way at once", async () => {
  const budget = createBudget();
  let ended = 0;
  for (const projectId of ["one", "three", "four", "five"]) {
    for (let index = 0; index < 40; index += 1) {
      const share = budget.open({ projectId, organizationId: null });
      await share.enter(60_000).then(
        () =>
          share.giveWay(() => {
            ended += 1;
          }),
        () => undefined,
      );
    }
  }
  await enter(budget.open(two), 64 * 1024);
  expect(ended).toBeGreaterThan(0);
});
