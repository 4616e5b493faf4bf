import { expect, test } from "vitest";
import { createMetrics } from "../src/metrics.ts";
import { watchEventLoop } from "../src/watch-event-loop.ts";

test("a blocked event loop is counted as the longest time of its second", async () => {
  const metrics = createMetrics();
  watchEventLoop({ service: "ingest", metrics });
  const read = async (sample: string): Promise<number> => {
    const lines = (await metrics.metrics()).split("\n");
    const line = lines.find((one) => one.startsWith(`service_event_loop_stall_seconds_${sample} `));
    return Number(line?.split(" ")[1] ?? 0);
  };
  const countLong = async (): Promise<number> =>
    (await read('count{service="ingest"}')) - (await read('bucket{le="0.5",service="ingest"}'));
  await expect.poll(() => read('count{service="ingest"}')).toBeGreaterThan(0);
  const before = await countLong();

  const until = performance.now() + 700;
  while (performance.now() < until);

  await expect.poll(countLong).toBeGreaterThan(before);
});
