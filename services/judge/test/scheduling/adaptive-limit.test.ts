import { setImmediate as nextTurn } from "node:timers/promises";
import { createScriptedClock } from "@touchstone/testkit";
import { expect, test, vi } from "vitest";
import { type CapacityReport, createAdaptiveLimit } from "../../src/scheduling/adaptive-limit.ts";

const request = { group: "g", signal: new AbortController().signal };

function createLimit(placesMax = 8) {
  const clock = createScriptedClock(0);
  return { clock, limit: createAdaptiveLimit({ placesMax, clock, sleep: clock.sleep }) };
}

const accept = async (report: CapacityReport): Promise<void> => report.accepted();
const reject = async (report: CapacityReport): Promise<void> => report.rejected(null);

test("a rejected call halves the places, and never below one", async () => {
  const { limit } = createLimit(8);
  const seen = [];
  for (let call = 0; call < 5; call += 1) {
    await limit.run(request, reject);
    seen.push(limit.places());
  }
  expect(seen).toEqual([4, 2, 1, 1, 1]);
});

test("the rejections of one burst halve the places once", async () => {
  const { limit } = createLimit(8);
  const gate = Promise.withResolvers<void>();
  const burst = Array.from({ length: 8 }, () =>
    limit.run(request, async (report) => {
      await gate.promise;
      report.rejected(null);
    }),
  );
  gate.resolve();
  await Promise.all(burst);
  expect(limit.places()).toBe(4);
});

test("accepted calls give the places back, one at a time", async () => {
  const { limit } = createLimit(4);
  await limit.run(request, reject);
  await limit.run(request, reject);
  expect(limit.places()).toBe(1);
  await limit.run(request, accept);
  expect(limit.places()).toBe(2);
  for (let call = 0; call < 20; call += 1) await limit.run(request, accept);
  expect(limit.places()).toBe(4);
});

test("no call is made before the provider's Retry-After has passed", async () => {
  const { clock, limit } = createLimit(8);
  await limit.run(request, async (report) => report.rejected(3_000));
  const calledAt: number[] = [];
  const calls = Array.from({ length: 2 }, () => limit.run(request, async () => void calledAt.push(clock.now())));
  await clock.waitForSleepers(2);
  await clock.advance(2_999);
  expect(calledAt).toEqual([]);
  await clock.advance(1);
  await Promise.all(calls);
  expect(calledAt).toEqual([3_000, 3_000]);
});

test("a clock that is set back prolongs no silence, whether it is set before or during a call's wait", async () => {
  const clock = createScriptedClock(0);
  const sleeps: { ms: number; end: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((end) => void sleeps.push({ ms, end }));
  const limit = createAdaptiveLimit({ placesMax: 8, clock, sleep });
  await limit.run(request, async (report) => report.rejected(3_000));
  const during = limit.run(request, async () => "served");
  await vi.waitFor(() => expect(sleeps).toHaveLength(1));
  await clock.advance(-3_600_000);
  const after = limit.run(request, async () => "served");
  await vi.waitFor(() => expect(sleeps).toHaveLength(2));
  expect(sleeps.map(({ ms }) => ms)).toEqual([3_000, 3_000]);
  for (const { end } of sleeps) end();
  expect(await Promise.all([during, after])).toEqual(["served", "served"]);
  await limit.run(request, accept);
  expect(sleeps).toHaveLength(2);
});

test("a silence that is prolonged while a call waits also holds that call", async () => {
  const { clock, limit } = createLimit(8);
  const late = Promise.withResolvers<void>();
  const slow = limit.run(request, async (report) => {
    await late.promise;
    report.rejected(5_000);
  });
  await limit.run(request, async (report) => report.rejected(3_000));
  const calledAt: number[] = [];
  const waiting = limit.run(request, async () => void calledAt.push(clock.now()));
  await clock.waitForSleepers(1);
  await clock.advance(1_000);
  late.resolve();
  await slow;
  await clock.advance(4_999);
  expect(calledAt).toEqual([]);
  await clock.advance(1);
  await waiting;
  expect(calledAt).toEqual([6_000]);
});

test("a call that gives up during the silence frees its place", async () => {
  const { clock, limit } = createLimit(1);
  await limit.run(request, async (report) => report.rejected(60_000));
  const stop = new AbortController();
  const given = limit.run({ group: "g", signal: stop.signal }, accept);
  await clock.waitForSleepers(1);
  stop.abort(new Error("deadline"));
  await expect(given).rejects.toThrow("deadline");
  const next = limit.run(request, async () => "served");
  await clock.waitForSleepers(1);
  await clock.advance(60_000);
  await nextTurn();
  await expect(next).resolves.toBe("served");
});
