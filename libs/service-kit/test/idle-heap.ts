// A process whose heap grew by texts that are garbage, and which has little work afterwards. Prints how many megabytes its heap grew
// by, and how many it keeps after some intervals.
import { releaseIdleMemory } from "../src/release-memory.ts";
import { everyMs, printOnceReleased } from "./idle-intervals.ts";

const megabytes = (): number => Math.round(process.memoryUsage().heapTotal / (1024 * 1024));

releaseIdleMemory({ everyMs });
const before = megabytes();
// They are old before they become garbage: young ones are collected soon in any case.
let texts = Array.from({ length: 1_500_000 }, (_, at) => `text ${at}`.repeat(2));
for (let round = 0; round < 40; round += 1) JSON.parse(`[${"{},".repeat(50_000)}0]`);
const grown = megabytes() - before;
texts = [];
// V8 keeps empty pages for as long as a process allocates.
setInterval(() => JSON.parse(`[${"{},".repeat(2_000)}0]`), 50);

printOnceReleased(() => {
  const kept = megabytes() - before;
  return texts.length > 0 ? null : { isReleased: kept < 24, figures: { grown, kept } };
});
