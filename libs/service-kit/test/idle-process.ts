// A process that used many buffers and is idle now. Prints how many megabytes of them it keeps after a while.
import { releaseIdleMemory } from "../src/release-memory.ts";

const megabyte = 1024 * 1024;
releaseIdleMemory({ everyMs: 200 });
let buffers = Array.from({ length: 32 }, () => Buffer.alloc(4 * megabyte));
// They are old before they become garbage: young ones are collected soon in any case.
for (let round = 0; round < 100; round += 1) JSON.parse(`[${"{},".repeat(50_000)}0]`);
// Collections triggered by this have ended by then.
setTimeout(() => {
  buffers = [];
}, 1_000);
const keptMegabytes = (): number => buffers.length + Math.round(process.memoryUsage().arrayBuffers / megabyte);
setTimeout(() => process.stdout.write(`${keptMegabytes()}\n`), 5_000);
