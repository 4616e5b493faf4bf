// A process with unused buffers whose event loop is active for a fifth of the time, and sleeps meanwhile, as it does where it has to
// wait for a processor. Prints how many megabytes it keeps, and after how many intervals.
import { releaseIdleMemory } from "../src/release-memory.ts";

const everyMs = 1_000;
const intervalsMax = 30;
const megabyte = 1024 * 1024;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

let buffers = Array.from({ length: 80 }, () => Buffer.alloc(4 * megabyte));
// They are old before they become garbage: young ones are collected soon in any case.
for (let round = 0; round < 100; round += 1) JSON.parse(`[${"{},".repeat(50_000)}0]`);
setInterval(() => Atomics.wait(sleeping, 0, 0, 20), 100);
releaseIdleMemory({ everyMs });
// V8 collects once more for what was allocated above.
setTimeout(() => {
  buffers = [];
}, everyMs / 2);

let intervals = 0;
setInterval(() => {
  intervals += 1;
  const keptMegabytes = Math.round(process.memoryUsage().arrayBuffers / megabyte);
  if (keptMegabytes >= 16 && intervals < intervalsMax) return;
  process.stdout.write(JSON.stringify({ keptMegabytes, intervals, left: buffers.length }), () => process.exit(0));
}, everyMs);
