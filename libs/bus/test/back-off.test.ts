import { expect, test } from "vitest";
import { createBackOff } from "../src/back-off.ts";

test("delays double up to the longest, each between half and whole of that", () => {
  const backOff = createBackOff({ firstMs: 100, mostMs: 1_000 });
  for (const wholeMs of [100, 200, 400, 800, 1_000, 1_000]) {
    const delayMs = backOff.nextMs();
    expect(delayMs).toBeGreaterThanOrEqual(wholeMs / 2);
    expect(delayMs).toBeLessThanOrEqual(wholeMs);
  }
});

test("delays stay finite after any number of failures, and start again after a success", () => {
  const backOff = createBackOff({ firstMs: 100, mostMs: 1_000 });
  for (let failures = 0; failures < 5_000; failures += 1) expect(backOff.nextMs()).toBeLessThanOrEqual(1_000);
  backOff.reset();
  expect(backOff.nextMs()).toBeLessThanOrEqual(100);
});

test("an aborted signal ends a wait without an error", async () => {
  const backOff = createBackOff({ firstMs: 60_000, mostMs: 60_000 });
  const stopping = new AbortController();
  const waiting = backOff.wait(stopping.signal);
  stopping.abort();
  await waiting;
  await backOff.wait(stopping.signal);
});
