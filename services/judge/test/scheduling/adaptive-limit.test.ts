import { setImmediate as nextTurn } from "node:timers/promises";
import { createScriptedClock } from "@touchstone/testkit";
import { expect, test } from "vitest";
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
