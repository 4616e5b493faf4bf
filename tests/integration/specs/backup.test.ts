import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { submitTraceReply, traceList } from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "../src/client.ts";
import { type StandaloneProcess, startStandaloneProcess } from "../src/standalone-process.ts";

// Two standalones are started, one after the other.
vi.setConfig({ testTimeout: 480_000 });

const commands = path.resolve(import.meta.dirname, "../../../apps/standalone/src/backup");

/** Runs a command as npm does; returns its exit code and all it printed. */
async function run(command: "back-up" | "restore", home: string, ...args: string[]) {
  const options = { env: { ...process.env, SERVICE_HOME: home }, timeout: 120_000 };
  return promisify(execFile)("node", [path.join(commands, `${command}.ts`), ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

async function start(home: string): Promise<StandaloneProcess> {
  const standalone = await startStandaloneProcess({ home, settings: { SERVICE_DASHBOARD: "off" } });
  onTestFinished(async () => void (await standalone.interrupt()));
  return standalone;
}

const submit = (standalone: StandaloneProcess, spanId: string) =>
  createClient(standalone).expect(
    { status: 201, schema: submitTraceReply },
    "POST",
    "/ingest/traces",
    buildTrace({ spanId }),
  );

test("a standalone is backed up while it runs, and restored as it was at a moment, with its key", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }), 30_000);
  // The archive is written by the servers' account.
  await chmod(folder, 0o755);
  const [home, to, target] = ["home", "backups", "restored"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  const first = await start(home);
  await submit(first, "before-the-backup");
  const backup = await run("back-up", home, "--to", to);
  expect(backup, backup.output).toMatchObject({ code: 0 });
  expect(backup.output).toMatch(/The newest trace is [0-9a-f-]{36}, of \d{4}-/);
  await submit(first, "after-the-backup");
  const until = Date.now() + 5;
  // A trace is committed within fewer milliseconds.
  await vi.waitUntil(() => Date.now() > until, { interval: 5 });
  await submit(first, "a mistake");
  expect(await run("back-up", home, "--end")).toEqual({
    code: 0,
    output: `The log is no longer archived in ${to}.\n`,
  });

  const onto = await run("restore", home, "--from", to);
  expect(onto).toMatchObject({ code: 1, output: expect.stringContaining("Touchstone is already running on") });
  const restored = await run("restore", target, "--from", to, "--until", new Date(until).toISOString());
  expect(restored, restored.output).toMatchObject({ code: 0 });
  expect(restored.output).toMatch(/^ingest\.spans +1 +2$/m);
  await first.interrupt();
  const second = await start(target);

  expect(second.apiKey).toBe(first.apiKey);
  const list = await createClient(second).expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  expect(list.traces.map(({ spanId }) => spanId)).toEqual(["after-the-backup", "before-the-backup"]);
  await submit(second, "after-the-restore");
});

test("commands that are called wrongly say how they are called", async () => {
  const nowhere = path.join(tmpdir(), "touchstone-nowhere");
  for (const [command, args, sentence] of [
    ["back-up", [], "--to is required."],
    ["back-up", ["--to", "/x", "--keep", "0"], "--keep must be a number from 1 to 9999."],
    ["back-up", ["--end", "--to", "/x"], "--end is used alone."],
    ["restore", [], "--from is required."],
    ["restore", ["--from", "/x", "--until", "yesterday"], "--until must be a time with its zone"],
    ["restore", ["--from", "/x", "--unknown"], "Unknown option '--unknown'"],
  ] as const) {
    const { code, output } = await run(command, nowhere, ...args);
    expect([code, output]).toEqual([2, expect.stringContaining(sentence)]);
    expect(output).toContain("Usage: npm run");
  }
  expect(await run("restore", nowhere, "--from", "/nowhere")).toEqual({
    code: 1,
    output: "/nowhere holds no backup. Name the folder that was given to the backup as --to.\n",
  });
});
