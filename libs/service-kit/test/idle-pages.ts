// A process whose heap grew and whose garbage V8 collected by itself: the heap is small again, its pages are kept. It goes on with a
// little work. Prints how many megabytes the process grew by, and how many it keeps after some intervals.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { releaseIdleMemory } from "../src/release-memory.ts";
import { everyMs, printOnceReleased } from "./idle-intervals.ts";

const megabytes = (): number => Math.round(process.memoryUsage().rss / (1024 * 1024));
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

releaseIdleMemory({ everyMs });
/** As some requests a second: V8 gives memory back by itself only to a process that allocates less. */
let written: { number: number; text: string }[] = [];
setInterval(() => {
  written = Array.from({ length: 2_000 }, (_, number) => ({ number, text: `text ${written.length}` }));
}, 20);

const before = megabytes();
const grown = grow() - before;
collectGarbage();

printOnceReleased(() => {
  const kept = megabytes() - before;
  return { isReleased: kept < 64, figures: { grown, kept } };
});

function grow(): number {
  const objects = Array.from({ length: 2_000_000 }, (_, at) => ({ text: `text ${at}`, list: [at] }));
  return objects.length > 0 ? megabytes() : 0;
}
