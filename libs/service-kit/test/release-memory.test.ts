import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

async function keptBy(...how: string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    path.join(import.meta.dirname, "idle-process.ts"),
    ...how,
  ]);
  return Number(stdout);
}

test("a process that is idle gives back the memory of buffers that nobody uses", async () => {
  // By itself it keeps them: otherwise this would prove nothing.
  const [kept, released] = await Promise.all([keptBy(), keptBy("releasing")]);
  expect(kept).toBeGreaterThan(120);
  expect(released).toBeLessThan(16);
});
