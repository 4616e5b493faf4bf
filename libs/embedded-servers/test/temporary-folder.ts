import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder for one test, deleted with everything in it when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
