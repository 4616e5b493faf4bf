import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairLimit, TooManyWaitingError } from "../src/fair-limit.ts";

const signal = new AbortController().signal;

/** Tasks that end on command, and a record of the order in which they started. */
function createTasks() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    task: (name: string) => async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
    async endOne() {
      ends.shift()?.();
      await nextTurn();
    },
  };
}

test("no more tasks run at once than there are slots", async () => {
  const limit = createFairLimit({ places: 2 });
  const tasks = createTasks();
  for (const name of ["a", "b", "c"]) void limit.run({ group: "g", signal }, tasks.task(name));
  await nextTurn();
  expect(tasks.begun).toEqual(["a", "b"]);
  expect([limit.running(), limit.waiting()]).toEqual([2, 1]);
  await tasks.endOne();
  expect(tasks.begun).toEqual(["a", "b", "c"]);
});

test("a project with one task is not delayed by a project with many", async () => {
  const limit = createFairLimit({ places: 1 });
  const tasks = createTasks();
  for (const name of ["many1", "many2", "many3", "many4"]) void limit.run({ group: "many", signal }, tasks.task(name));
  void limit.run({ group: "few", signal }, tasks.task("few1"));
  void limit.run({ group: "some", signal }, tasks.task("some1"));
  void limit.run({ group: "some", signal }, tasks.task("some2"));
  for (let end = 0; end < 7; end += 1) await tasks.endOne();
  expect(tasks.begun).toEqual(["many1", "many2", "few1", "some1", "many3", "some2", "many4"]);
});

test("a task that fails releases its slot", async () => {
  const limit = createFairLimit({ places: 1 });
  await expect(limit.run({ group: "g", signal }, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await expect(limit.run({ group: "g", signal }, async () => "next")).resolves.toBe("next");
});

test("a task that gives up waiting leaves the queue and never runs", async () => {
  const limit = createFairLimit({ places: 1 });
  const tasks = createTasks();
  const leave = new AbortController();
  void limit.run({ group: "g", signal }, tasks.task("first"));
  const left = limit.run({ group: "h", signal: leave.signal }, tasks.task("left"));
  void limit.run({ group: "i", signal }, tasks.task("last"));
  leave.abort(new Error("deadline"));
  await expect(left).rejects.toThrow("deadline");
  await tasks.endOne();
  expect(tasks.begun).toEqual(["first", "last"]);
  expect(limit.waiting()).toBe(0);
});

test("a full queue refuses at once", async () => {
  const limit = createFairLimit({ places: 1, waitingMax: 1 });
  const tasks = createTasks();
  void limit.run({ group: "g", signal }, tasks.task("running"));
  void limit.run({ group: "g", signal }, tasks.task("waiting"));
  await expect(limit.run({ group: "g", signal }, tasks.task("refused"))).rejects.toBeInstanceOf(TooManyWaitingError);
});

test("a group that may not use all slots leaves one to the others, however many tasks it has waiting", async () => {
  const limit = createFairLimit({ places: 2, placesPerGroupMax: 1, waitingMax: 3, waitingPerGroupMax: 2 });
  const tasks = createTasks();
  for (const name of ["many1", "many2", "many3"]) void limit.run({ group: "many", signal }, tasks.task(name));
  await expect(limit.run({ group: "many", signal }, tasks.task("many4"))).rejects.toBeInstanceOf(TooManyWaitingError);
  for (const name of ["few1", "few2"]) void limit.run({ group: "few", signal }, tasks.task(name));
  await nextTurn();
  expect(tasks.begun).toEqual(["many1", "few1"]);
  for (let end = 0; end < 5; end += 1) await tasks.endOne();
  expect(tasks.begun).toEqual(["many1", "few1", "many2", "few2", "many3"]);
});

test("more slots admit waiting tasks at once; fewer take effect as tasks end", async () => {
  const limit = createFairLimit({ places: 1 });
  const tasks = createTasks();
  for (const name of ["a", "b", "c", "d"]) void limit.run({ group: "g", signal }, tasks.task(name));
  limit.resize(3);
  await nextTurn();
  expect(tasks.begun).toEqual(["a", "b", "c"]);
  limit.resize(1);
  await tasks.endOne();
  await tasks.endOne();
  expect(tasks.begun).toEqual(["a", "b", "c"]);
  await tasks.endOne();
  expect(tasks.begun).toEqual(["a", "b", "c", "d"]);
});

test("for any sequence of starts, ends and aborts the limit holds, every task is served or leaves, and nothing is left over", async () => {
  const step = fc.record({ group: fc.constantFrom("a", "b", "c"), givesUp: fc.boolean(), turns: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 30 }), async (places, steps) => {
      const limit = createFairLimit({ places });
      let running = 0;
      const outcomes = steps.map(async ({ group, givesUp, turns }) => {
        const stop = new AbortController();
        const run = limit.run({ group, signal: stop.signal }, async () => {
          running += 1;
          expect(running).toBeLessThanOrEqual(places);
          for (let turn = 0; turn <= turns; turn += 1) await nextTurn();
          running -= 1;
          return "served";
        });
        if (givesUp) stop.abort(new Error("left"));
        return run.catch((err: Error) => err.message);
      });
      for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatch(/^(served|left)$/);
      expect([limit.running(), limit.waiting()]).toEqual([0, 0]);
    }),
    { numRuns: 100 },
  );
});
