// A process that is never idle again once its heap grew and shrank. Prints how many megabytes it had at the most, and after how many intervals
// it had returned half of them.
import { releaseIdleMemory } from "../src/release-memory.ts";

/** V8 asks every eight seconds whether memory counts more than speed. */
const everyMs = 10_000;
const intervalsMax = 20;
const megabytes = (): number => Math.round(process.memoryUsage.rss() / (1024 * 1024));

releaseIdleMemory({ everyMs });
let objects: object[] = [];
let most = 0;
let intervals = 0;

/** Two fifths of the time, with garbage of its own: V8 collects what became garbage before. */
function work(): void {
  const endsMs = performance.now() + 20;
  while (performance.now() < endsMs) JSON.parse(`[${'{"a":"b"},'.repeat(5_000)}0]`);
  setTimeout(work, 30);
}

// After the first interval, which shows what the process needs.
setTimeout(() => {
  objects = Array.from({ length: 4_000_000 }, (_, at) => ({ at, name: `object ${at}`, list: [at] }));
  most = megabytes();
  objects = [];
  work();
}, 1.5 * everyMs);
setInterval(() => {
  if (most === 0) return;
  intervals += 1;
  const has = megabytes();
  if (has > most / 2 && intervals < intervalsMax) return;
  process.stdout.write(JSON.stringify({ most, has, intervals, left: objects.length }), () => process.exit(0));
}, everyMs);
