import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import type { Answer } from "../src/http-client.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { listProcessTree } from "../src/process-tree.ts";
import { mountVolume, type Volume } from "../src/volume.ts";

const cleanups: (() => Promise<unknown>)[] = [];

/** PostgreSQL's data and its log are on separate disks. */
let onDisks: { system: Installation; data: Volume; wal: Volume };
/** The logs of all services are on a disk that is full from the start. */
let logging: { system: Installation; logs: Volume };

beforeAll(async () => {
  const data = await mount(160);
  const wal = await mount(96);
  const postgres = { dataParent: data.folder, walParent: wal.folder, settings: { max_wal_size: "1GB" } };
  onDisks = { system: await start({ postgres }), data, wal };
  const logs = await mount(1);
  await logs.fill();
  const output = path.join(logs.folder, "service.log");
  const system = await start({
    settings: { SERVICE_LOG_LEVEL: "info" },
    launch: { ingest: { output }, gateway: { output }, auth: { output }, monitor: { output } },
  });
  logging = { system, logs };
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function start(options: Parameters<typeof startInstallation>[0]): Promise<Installation> {
  const system = await startInstallation(options);
  cleanups.push(system.stop);
  return system;
}

async function mount(megabytes: number): Promise<Volume> {
  const volume = await mountVolume(megabytes);
  cleanups.push(volume.unmount);
  return volume;
}

const isRefusal = (answer: Answer | null): boolean => answer?.status === 503 && answer.headers["retry-after"] === "2";
const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/health/ready`)).ok;

test("row 10: with the data disk full, writes get a retry response, reads work, and the system recovers without a restart", async () => {
  const { system, data } = onDisks;
  const seed = 210;
  const report = await auditUnderLoad(
    system,
    { seed, payloadBytes: 60_000, refusalsAreCertain: true },
    async (load) => {
      await load.awaitAcks(50);
      await data.fill();
      await load.awaitAnswer("a write gets a retry answer", isRefusal);
      const read = await load.client.send("GET", "/ingest/traces?limit=1");
      expect(read?.status).toBe(200);
      await data.free();
      await load.awaitAcks(50);
    },
  );

  expectClean(report, { seed });
  expect(await system.listEnded()).toEqual([]);
});

test("row 11: with the log disk full, the system reports that it is not ready, and all acknowledged data is there afterwards", async () => {
  const { system, wal } = onDisks;
  const ingest = system.ingests[0]?.url as string;
  const seed = 211;
  const report = await auditUnderLoad(system, { seed, payloadBytes: 100_000 }, async (load) => {
    await load.awaitAcks(50);
    await wal.fill();
    await system.postgres.exited;
    await load.awaitAnswer("a write gets a retry answer", isRefusal);
    await waitUntil("ingest is not ready", async () => !(await isReady(ingest)));
    await wal.free();
    await system.postgres.restart();
    await waitUntil("ingest is ready", () => isReady(ingest));
    await load.awaitAcks(50);
  });

  expectClean(report, { seed });
  expect(await readFile(system.postgres.logFile, "utf8")).toMatch(/PANIC:.*No space left on device/s);
});

test("row 14: a service continues when its own log is on a full disk", async () => {
  const { system, logs } = logging;
  const seed = 214;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(120);
    await logs.free();
    await load.awaitAcks(20);
  });

  expectClean(report, { seed });
  expect(await system.listEnded()).toEqual([]);
});

test("row 12: a failed sync of the log stops PostgreSQL, which recovers; no acknowledged write is lost", async () => {
  const { system } = logging;
  const seed = 212;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(50);
    await failOneSync(system);
    await load.awaitAcks(80);
  });

  expectClean(report, { seed });
  expect(await readFile(system.postgres.logFile, "utf8")).toMatch(/PANIC: {2}could not fdatasync file/);
});

/** The next fdatasync of each current PostgreSQL process fails with EIO. Processes started later are not affected. */
async function failOneSync(system: Installation): Promise<void> {
  const [, ...children] = await listProcessTree(system.postgres.pid);
  const tracer: ChildProcess = spawn(
    "strace",
    [
      "-qq",
      "-e",
      "trace=fdatasync",
      "-e",
      "inject=fdatasync:error=EIO:when=1",
      ...children.flatMap((pid) => ["-p", `${pid}`]),
    ],
    { stdio: "ignore" },
  );
  await once(tracer, "exit");
}
