import { expect, test } from "vitest";
import { createScriptedClock } from "../src/index.ts";

test("time does not move until it is advanced", async () => {
  const clock = createScriptedClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance(250);
  expect(clock.now()).toBe(1_250);
});

test("sleepers wake in order, each at its own instant", async () => {
  const clock = createScriptedClock(0);
  const woken: [string, number][] = [];
  void clock.sleep(200).then(() => woken.push(["late", clock.now()]));
  void clock.sleep(100).then(() => woken.push(["early", clock.now()]));

  await clock.advance(150);
  expect(woken).toEqual([["early", 100]]);
  await clock.advance(100);
  expect(woken).toEqual([
    ["early", 100],
    ["late", 200],
  ]);
  expect(clock.sleeps).toEqual([200, 100]);
});

test("a sleeper that sleeps again within one advance is woken again", async () => {
  const clock = createScriptedClock(0);
  const woken: number[] = [];
  void (async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await clock.sleep(10);
      woken.push(clock.now());
    }
  })();
  await clock.advance(100);
  expect(woken).toEqual([10, 20, 30]);
});

test("an aborted sleep rejects with the signal's reason", async () => {
  const clock = createScriptedClock();
  const stop = new AbortController();
  const sleep = clock.sleep(1_000, stop.signal);
  stop.abort(new Error("enough"));
  await expect(sleep).rejects.toThrow("enough");
  expect(clock.sleepers()).toBe(0);
});
