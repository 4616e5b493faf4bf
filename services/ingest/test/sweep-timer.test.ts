import { createMetrics } from "@touchstone/service-kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSweepTimer, type SweepTimer } from "../src/retention/sweep-timer.ts";

const metric = "service_ingest_retention_sweep_seconds";
const metrics = createMetrics();
let timer: SweepTimer;

beforeEach(() => {
  vi.useFakeTimers();
  metrics.clear();
  timer = createSweepTimer(metrics);
});

afterEach(() => {
  vi.useRealTimers();
});

const read = async (): Promise<number> =>
  Number(new RegExp(`^${metric} (.*)$`, "m").exec(await metrics.metrics())?.[1]);
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
const sweepFor = (seconds: number, isOurs = (): boolean => true): Promise<void> =>
  timer.time(isOurs, () => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)));

test("a sweep that runs shows its time, and leaves it until the next one has taken longer", async () => {
  expect(await read()).toBe(-1);
  const first = sweepFor(20);
  await pass(5);
  expect(await read()).toBe(5);
  await pass(15);
  await first;
  await pass(3_600);
  expect(await read()).toBe(20);

  const second = sweepFor(90);
  await pass(10);
  expect(await read()).toBe(20);
  await pass(50);
  expect(await read()).toBe(60);
  await pass(30);
  await second;
  expect(await read()).toBe(90);

  const third = sweepFor(2);
  await pass(2);
  await third;
  expect(await read()).toBe(2);
});

test("a sweep that fails leaves the time of the one before", async () => {
  const first = sweepFor(20);
  await pass(20);
  await first;
  await expect(
    timer.time(
      () => true,
      () => Promise.reject(new Error("a query was cancelled")),
    ),
  ).rejects.toThrow();
  expect(await read()).toBe(20);
});

test("a replica that lost the lease shows no time", async () => {
  let isOurs = true;
  const first = sweepFor(20, () => isOurs);
  await pass(20);
  await first;
  isOurs = false;
  expect(await read()).toBe(-1);
});
