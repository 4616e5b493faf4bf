import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const script = path.join(import.meta.dirname, "build-programs.ts");
const run = promisify(execFile);

let parent: string;
let folder: string;

beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "touchstone-build-"));
  folder = path.join(parent, "programs");
  await Promise.all([1, 2].map(() => run(process.execPath, [script, "--out", folder])));
});

afterAll(() => rm(parent, { recursive: true, force: true }));

test("several concurrent builds produce one complete folder, and leave nothing beside it", async () => {
  expect(await readdir(parent)).toEqual(["programs"]);
});

test("the bundled standalone explains itself", async () => {
  const { stdout } = await run(process.execPath, [path.join(folder, "standalone.js"), "--help"]);

  expect(stdout).toContain("--demo");
});

test.each(["auth", "dropin", "eval-runs", "gateway", "ingest", "judge", "monitor"])(
  "the bundled %s starts, and names the settings it needs",
  async (service) => {
    const started = run(process.execPath, [path.join(folder, `${service}.js`)], { env: {} });

    await expect(started).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("is needed") });
  },
);
