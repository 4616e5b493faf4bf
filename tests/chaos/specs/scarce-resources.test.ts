import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, type InstallationOptions, startInstallation } from "../src/installation.ts";
import { readResidentBytes } from "../src/process-tree.ts";

let system: Installation | undefined;
const sockets: Socket[] = [];

async function start(options: InstallationOptions = {}): Promise<Installation> {
  system = await startInstallation(options);
  return system;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await system?.stop();
  system = undefined;
});

/** Opens connections and leaves them idle; answers how many were made. */
async function openIdle(url: string, count: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const made = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(Number(port), hostname);
          sockets.push(socket);
          socket.once("connect", () => resolve(true));
          socket.once("error", () => resolve(false));
        }),
    ),
  );
  return made.filter(Boolean).length;
}

const megabyte = 1024 * 1024;

test("row 41: two thousand idle connections cost little memory, and new requests are served beside them", async () => {
  const running = await start();
  const [gateway] = running.gateways;
  const pid = gateway?.process.pid as number;
  const before = await readResidentBytes(pid);
  const seed = 241;
  const report = await auditUnderLoad(running, { seed }, async (load) => {
    expect(await openIdle(running.urls[0] as string, 2_000)).toBe(2_000);
    await load.awaitAcks(120);
    expect((await readResidentBytes(pid)) - before).toBeLessThan(200 * megabyte);
    expect(load.answers.filter((answer) => answer === null || answer.status > 201)).toEqual([]);
  });
  expectClean(report, { seed });
});

test("row 45: bodies that take long to read hold up nobody for long, and no process dies of them", async () => {
  const running = await start({ gateways: 1, ingests: 1 });
  // As many values as fit into the largest body, nested as deep as is taken, and text that backtracking regexes hate.
  const values = `[${'{"a":[[[[1]]]]},'.repeat(500_000)}1]`;
  const giant = `{"name":"giant","input":${values}}`;
  const hostile = JSON.stringify({
    name: `${"a".repeat(1_999)}!`,
    input: " ".repeat(2_000_000),
    framework: `${"a".repeat(60)}!`,
  });
  const seed = 245;
  const report = await auditUnderLoad(running, { seed }, async (load) => {
    await load.awaitAcks(20);
    const heavy = await Promise.all(
      [giant, hostile, giant, hostile].map((body) => load.client.send("POST", "/ingest/traces", body)),
    );
    await load.awaitAcks(80);
    expect(heavy.map((answer) => answer?.status)).toEqual([201, 201, 201, 201]);
    expect(load.answers.filter((answer) => answer === null)).toEqual([]);
  });

  const { ghosts, miscounted: _, ...others } = report.findings;
  expect(ghosts).toHaveLength(2);
  expect(Object.values(others).flat()).toEqual([]);
  expect(await running.listEnded()).toEqual([]);
});

test("row 46: an ingest with one gigabyte takes or refuses 24 exports of 16 MB at once, and does not die of them", async () => {
  const running = await start();
  const ingest = running.ingests[0]?.process.pid as number;
  const group = `/sys/fs/cgroup/memory/touchstone-chaos-${process.pid}`;
  await mkdir(group);
  try {
    await writeFile(`${group}/memory.limit_in_bytes`, String(1_024 * megabyte));
    await writeFile(`${group}/cgroup.procs`, String(ingest));
    const attribute = { key: "input.value", value: { stringValue: "x".repeat(16 * megabyte) } };
    const span = { traceId: "a".repeat(32), spanId: "b".repeat(16), name: "large", attributes: [attribute] };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const seed = 246;
    const report = await auditUnderLoad(running, { seed }, async (load) => {
      await load.awaitAcks(20);
      const answers = await Promise.all(
        Array.from({ length: 24 }, () => load.client.send("POST", "/otel/v1/traces", body)),
      );
      const statuses = new Set(answers.map((answer) => answer?.status));
      expect(statuses).toContain(200);
      expect([...statuses].filter((status) => status === undefined || ![200, 429, 503].includes(status))).toEqual([]);
      await load.awaitAcks(100);
    });

    // The export is no entry of the ledger.
    const { ghosts: _, ...others } = report.findings;
    expect(Object.values(others).flat()).toEqual([]);
    expect(await running.listEnded()).toEqual([]);
  } finally {
    await running.stop();
    await waitUntil("the group is empty", () => rmdir(group).then(() => true));
  }
});

test("row 47: a process out of file descriptors goes on when it has some again", async () => {
  const wrapper = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"];
  const running = await start({ launch: { gateway: { wrapper }, ingest: { wrapper } } });
  const slots = [...running.gateways, ...running.ingests];
  const seed = 247;
  const report = await auditUnderLoad(running, { seed }, async (load) => {
    await load.awaitAcks(40);
    for (const { url } of slots) await openIdle(url, 400);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const socket of sockets.splice(0)) socket.destroy();
    await load.awaitAcks(80);
  });

  expectClean(report, { seed });
  expect(await running.listEnded()).toEqual([]);
});
