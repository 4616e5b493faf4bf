import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("an idle process releases the memory of unused buffers, also if they were in use at the last collection", async () => {
  const script = path.join(import.meta.dirname, "idle-process.ts");
  // Without V8's own collections of idle processes, which happen now and then.
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-memory-reducer", script]);
  const { keptMegabytes, intervals } = JSON.parse(stdout) as { keptMegabytes: number; intervals: number };
  expect(keptMegabytes).toBeLessThan(16);
  // Four on a calm machine. On a busy one the process skips intervals in which it had no processor.
  expect(intervals).toBeLessThanOrEqual(10);
});

test.concurrent("a process that waits for a processor all the time releases a lot of memory after some intervals", async ({
  expect,
}) => {
  const script = path.join(import.meta.dirname, "idle-waiting.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-memory-reducer", script]);
  const { keptMegabytes, intervals } = JSON.parse(stdout) as { keptMegabytes: number; intervals: number };
  expect(keptMegabytes).toBeLessThan(16);
  expect(intervals).toBeGreaterThanOrEqual(6);
});

// V8 takes eight seconds for each of these.
test.concurrent("an idle process returns what its heap grew by, if it is garbage", async ({ expect }) => {
  const script = path.join(import.meta.dirname, "idle-heap.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const { grown, kept } = JSON.parse(stdout) as { grown: number; kept: number };
  expect(grown).toBeGreaterThan(100);
  expect(kept).toBeLessThan(24);
});

test.concurrent("a process with little work returns the pages that its heap no longer has", async ({ expect }) => {
  const script = path.join(import.meta.dirname, "idle-pages.ts");
  // A large nursery would be a reason of its own to return pages.
  const { stdout } = await promisify(execFile)(process.execPath, ["--max-semi-space-size=4", script]);
  const { grown, kept } = JSON.parse(stdout) as { grown: number; kept: number };
  expect(grown).toBeGreaterThan(200);
  expect(kept).toBeLessThan(64);
});

// Within a minute, unless the machine is so busy that the process is, too.
test.concurrent("a process that is never idle returns the memory of a while ago", { timeout: 240_000 }, async ({
  expect,
}) => {
  const script = path.join(import.meta.dirname, "idle-never.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const { most, has } = JSON.parse(stdout) as { most: number; has: number };
  expect(has).toBeLessThan(most / 2);
});

test("a process without free file descriptors goes on", async () => {
  const module = path.join(import.meta.dirname, "../src/release-memory.ts");
  // Node reads its memory from a file, which fails here at each interval.
  const script = `
    import { openSync } from "node:fs";
    import { releaseIdleMemory } from ${JSON.stringify(module)};
    setTimeout(() => process.exit(0), 500);
    releaseIdleMemory({ everyMs: 50 });
    for (;;) try { openSync("/dev/null"); } catch { break; }`;
  const command = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
  await expect(promisify(execFile)("sh", ["-c", command, process.execPath, script])).resolves.toBeDefined();
});
