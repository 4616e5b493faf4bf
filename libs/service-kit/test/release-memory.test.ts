import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("an idle process releases the memory of unused buffers", async () => {
  const script = path.join(import.meta.dirname, "idle-process.ts");
  // Without V8's own collections of idle processes, which happen now and then.
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-memory-reducer", script]);
  expect(Number(stdout)).toBeLessThan(16);
});
