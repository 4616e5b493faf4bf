// A process whose buffers become unused right after a collection that found them in use. Prints how many megabytes of
// them it keeps, and after how many intervals without work; on a busy machine, work takes long.
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { releaseIdleMemory } from "../src/release-memory.ts";
import { everyMs, printOnceReleased } from "./idle-intervals.ts";

const megabyte = 1024 * 1024;
let buffers = Array.from({ length: 32 }, () => Buffer.alloc(4 * megabyte));
// They are old before they become garbage: young ones are collected soon in any case.
for (let round = 0; round < 100; round += 1) JSON.parse(`[${"{},".repeat(50_000)}0]`);

const collections = new PerformanceObserver((list) => {
  const entries = list.getEntries() as (PerformanceEntry & { detail: { flags?: number } })[];
  const forced = entries.some(({ detail }) => ((detail.flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0);
  if (forced) buffers = [];
});
collections.observe({ entryTypes: ["gc"] });
releaseIdleMemory({ everyMs });

printOnceReleased(() => {
  const keptMegabytes = Math.round(process.memoryUsage().arrayBuffers / megabyte);
  return buffers.length > 0 ? null : { isReleased: keptMegabytes < 16, figures: { keptMegabytes } };
});
