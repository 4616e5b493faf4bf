// A process whose heap grew and whose garbage V8 collected by itself: the heap is small again, its pages are kept. Prints how many
// megabytes the process grew by, and how many it keeps after some intervals.
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { releaseIdleMemory } from "../src/release-memory.ts";

const everyMs = 500;
const intervalsMax = 20;
const megabytes = (): number => Math.round(process.memoryUsage().rss / (1024 * 1024));
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

releaseIdleMemory({ everyMs });
const before = megabytes();
const grown = grow() - before;
collectGarbage();

let intervals = 0;
let last = performance.eventLoopUtilization();
setInterval(() => {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, last);
  last = now;
  if (utilization > 0.1) return;
  intervals += 1;
  const kept = megabytes() - before;
  if (kept >= 64 && intervals < intervalsMax) return;
  process.stdout.write(JSON.stringify({ grown, kept, intervals }), () => process.exit(0));
}, everyMs);

function grow(): number {
  const objects = Array.from({ length: 2_000_000 }, (_, at) => ({ text: `text ${at}`, list: [at] }));
  return objects.length > 0 ? megabytes() : 0;
}
