import { setImmediate as nextTurn } from "node:timers/promises";
import { createScriptedClock } from "@touchstone/testkit";
import { expect, test } from "vitest";
import { CircuitOpenError, createCircuitBreaker } from "../../src/scheduling/circuit-breaker.ts";

const signal = new AbortController().signal;

function createBreaker() {
  const clock = createScriptedClock(0);
  const breaker = createCircuitBreaker({ clock, sleep: clock.sleep, failuresMax: 3, openMs: 10_000 });
  const admit = (until: AbortSignal = signal) => breaker.arrive().admit(until);
  const fail = async (times: number) => {
    for (let call = 0; call < times; call += 1) (await admit()).failed();
  };
  return { clock, breaker, admit, fail };
}

test("failures in a row open the circuit, and an answer in between resets the count", async () => {
  const { breaker, admit, fail } = createBreaker();
  await fail(2);
  (await admit()).answered();
  await fail(2);
  expect(breaker.state()).toBe("closed");
  await fail(1);
  expect(breaker.state()).toBe("open");
});

test("calls that the judge itself gave up do not count as failures", async () => {
  const { breaker, admit } = createBreaker();
  for (let call = 0; call < 10; call += 1) (await admit()).abandoned();
  expect(breaker.state()).toBe("closed");
});

test("an open circuit keeps every call waiting, then lets exactly one through", async () => {
  const { clock, admit, fail } = createBreaker();
  await fail(3);
  let admitted = 0;
  for (let call = 0; call < 5; call += 1) void admit().then(() => (admitted += 1));
  await clock.advance(9_999);
  expect(admitted).toBe(0);
  await clock.advance(1);
  expect(admitted).toBe(1);
});

test("a clock that is set back keeps an open circuit open no longer than usual", async () => {
  const { clock, admit, fail } = createBreaker();
  await fail(3);
  await clock.advance(-3_600_000);
  let isAdmitted = false;
  void admit().then(() => {
    isAdmitted = true;
  });
  await clock.waitForSleepers(1);
  await clock.advance(10_000);
  expect(isAdmitted).toBe(true);
});

test("an answered probe admits every waiting call", async () => {
  const { clock, breaker, admit, fail } = createBreaker();
  await fail(3);
  const probe = admit();
  const others = [admit(), admit()];
  await clock.advance(10_000);
  (await probe).answered();
  await expect(Promise.all(others)).resolves.toHaveLength(2);
  expect(breaker.state()).toBe("closed");
});

test("a failed probe rejects all calls that waited for it, and opens the circuit for the same time again", async () => {
  const { clock, breaker, admit, fail } = createBreaker();
  await fail(3);
  const probe = admit();
  const waited = admit();
  await clock.advance(10_000);
  (await probe).failed();
  await expect(waited).rejects.toBeInstanceOf(CircuitOpenError);

  let admitted = false;
  const next = admit().then((admission) => {
    admitted = true;
    return admission;
  });
  await clock.advance(9_999);
  expect(admitted).toBe(false);
  await clock.advance(1);
  (await next).answered();
  expect(breaker.state()).toBe("closed");
});

test("a call that arrived before a probe failed is rejected even if it asks only afterwards", async () => {
  const { clock, breaker, admit, fail } = createBreaker();
  await fail(3);
  const early = breaker.arrive();
  const probe = admit();
  await clock.advance(10_000);
  (await probe).failed();
  await expect(early.admit(signal)).rejects.toBeInstanceOf(CircuitOpenError);
});

test("when the probe is given up, the next in line probes instead", async () => {
  const { clock, admit, fail } = createBreaker();
  await fail(3);
  const stop = new AbortController();
  const first = admit(stop.signal);
  const second = admit();
  await clock.advance(5_000);
  stop.abort(new Error("deadline"));
  await expect(first).rejects.toThrow("deadline");
  await clock.advance(5_000);
  const admission = await second;
  admission.abandoned();
  (await admit()).answered();
});

test("a call that waits for the circuit can give up at any time", async () => {
  const { clock, admit, fail } = createBreaker();
  await fail(3);
  void admit();
  const stop = new AbortController();
  const waiting = admit(stop.signal);
  await nextTurn();
  stop.abort(new Error("deadline"));
  await expect(waiting).rejects.toThrow("deadline");
  await expect(admit(stop.signal)).rejects.toThrow("deadline");
  expect(clock.sleepers()).toBe(1);
});

test("an answer to a call from before closes the circuit under a sleeping probe", async () => {
  const { clock, breaker, admit, fail } = createBreaker();
  const slow = await admit();
  await fail(3);
  const waiting = admit();
  await nextTurn();
  slow.answered();
  await expect(waiting).resolves.toBeDefined();
  expect(breaker.state()).toBe("closed");
  expect(clock.sleepers()).toBe(0);
});

test("late failures of calls from before do not prolong an open circuit", async () => {
  const { clock, admit, fail } = createBreaker();
  const slow = await admit();
  await fail(3);
  await clock.advance(9_000);
  slow.failed();
  let admitted = false;
  void admit().then(() => {
    admitted = true;
  });
  await clock.advance(1_000);
  expect(admitted).toBe(true);
});
