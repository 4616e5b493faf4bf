import { expect, test, vi } from "vitest";
import { createMetrics } from "../src/metrics.ts";
import { watchEventLoop } from "../src/watch-event-loop.ts";

test("a blocked event loop is counted as the longest time of its second, and a long block is logged", async () => {
  const metrics = createMetrics();
  const warn = vi.fn();
  watchEventLoop({ service: "ingest", metrics, logger: { warn } });
  const read = async (sample: string): Promise<number> => {
    const lines = (await metrics.metrics()).split("\n");
    const line = lines.find((one) => one.startsWith(`service_event_loop_stall_seconds_${sample} `));
    return Number(line?.split(" ")[1] ?? 0);
  };
  const countLong = async (): Promise<number> =>
    (await read('count{service="ingest"}')) - (await read('bucket{le="0.5",service="ingest"}'));
  await expect.poll(() => read('count{service="ingest"}')).toBeGreaterThan(0);
  const before = await countLong();

  const until = performance.now() + 1_200;
  while (performance.now() < until);

  await expect.poll(countLong).toBeGreaterThan(before);
  await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0);
  const facts = { blockedMs: expect.any(Number), processorMs: expect.any(Number), collectingMs: expect.any(Number) };
  expect(warn).toHaveBeenCalledWith(facts, "the event loop was blocked");
  const [{ blockedMs, processorMs, collectingMs }] = warn.mock.lastCall as [Record<string, number>];
  expect(blockedMs).toBeGreaterThan(1_000);
  expect(processorMs).toBeGreaterThan(0);
  expect(collectingMs).toBeLessThan(blockedMs as number);
});
