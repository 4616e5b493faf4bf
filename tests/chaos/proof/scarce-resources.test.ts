import { readdir } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import {
  type Installation,
  type InstallationOptions,
  type ServiceSlot,
  startInstallation,
} from "../src/installation.ts";
import { readResidentBytes } from "../src/process-tree.ts";
import { openRawClients, type RawClient } from "../src/slow-clients.ts";

let system: Installation | undefined;
/** For the tests that need no separate installation. */
let shared: Installation;
const clients: RawClient[] = [];

async function start(options: InstallationOptions = {}): Promise<Installation> {
  system = await startInstallation(options);
  return system;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await system?.stop();
  system = undefined;
});

beforeAll(async () => {
  shared = await startInstallation();
});

afterAll(async () => {
  await shared?.stop();
});

const megabyte = 1024 * 1024;

test("row 41: two thousand idle and slow connections use few resources, are closed in time, and other clients are served meanwhile", async () => {
  const running = shared;
  const [gateway] = running.gateways;
  const { url } = gateway as ServiceSlot;
  const pid = gateway?.process.pid as number;
  const before = { bytes: await readResidentBytes(pid), descriptors: await countDescriptors(pid) };
  const head = (method: string, more = ""): string => `${method} /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}`;
  const seed = 241;
  const report = await auditUnderLoad(running, { seed, writers: 2, pauseMs: 100 }, async (load) => {
    const silent = await openRawClients(url, 600);
    const slowHeads = await openRawClients(url, 200, head("GET", "x-slow: "));
    const kept = await openRawClients(url, 1_000, head("GET", "\r\n"));
    const slowBodies = await openRawClients(
      url,
      200,
      `POST /api/v1/ingest/traces HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${running.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`,
    );
    const all = [...silent, ...slowHeads, ...kept, ...slowBodies];
    clients.push(...all);
    const drip = setInterval(() => {
      for (const client of [...slowHeads, ...slowBodies]) client.write(" ");
    }, 1_000);
    try {
      await waitUntil("all requests are answered", async () => kept.every(({ received }) => isOk(received)));
      await load.awaitAcks(60);
      expect((await readResidentBytes(pid)) - before.bytes).toBeLessThan(200 * megabyte);
      // One for each, plus the gateway's own connections to the services.
      expect((await countDescriptors(pid)) - before.descriptors).toBeLessThan(all.length + 100);
      expect((await fetch(`${url}/health/live`)).status).toBe(200);

      // A request has 15 s for its head, checked every 4 s. A body has a minute.
      const late = [...silent, ...slowHeads];
      await waitUntil(
        "clients without a complete head are disconnected",
        async () => late.every(({ isEnded }) => isEnded),
        {
          timeoutMs: 25_000,
        },
      );
      expect(new Set(late.map(({ received }) => received.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 408"]));
      await load.awaitAcks(10);
    } finally {
      clearInterval(drip);
    }
    expect([...kept, ...slowBodies].filter(({ isEnded }) => isEnded)).toEqual([]);
    for (const client of kept) client.write(head("GET", "\r\n"));
    await waitUntil("kept connections still serve", async () =>
      kept.every(({ received }) => received.split("HTTP/1.1 200").length === 3),
    );
    for (const client of all) client.close();
    await waitUntil("none of them is still open", async () => (await countDescriptors(pid)) - before.descriptors < 100);
    expect(load.broken).toEqual([]);
  });
  expectClean(report, { seed });
});

function isOk(received: string): boolean {
  return received.startsWith("HTTP/1.1 200") && received.includes('"status"');
}

async function countDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

test("row 45: bodies that are slow to parse block other requests only briefly, and crash no process", async () => {
  const running = shared;
  // As many values as fit into the largest body, nested to the allowed depth, and text that is slow for backtracking
  // regexes.
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
    expect(load.broken).toEqual([]);
  });

  const { ghosts, miscounted: _, ...others } = report.findings;
  expect(ghosts).toHaveLength(2);
  expect(Object.values(others).flat()).toEqual([]);
  expect(await running.listEnded()).toEqual([]);
});

test("row 47: a process that is out of file descriptors recovers when some are free again", async () => {
  const wrapper = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"];
  const running = await start({ launch: { gateway: { wrapper }, ingest: { wrapper } } });
  const slots = [...running.gateways, ...running.ingests];
  const seed = 247;
  const report = await auditUnderLoad(running, { seed }, async (load) => {
    await load.awaitAcks(40);
    for (const { url } of slots) clients.push(...(await openRawClients(url, 400)));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const client of clients.splice(0)) client.close();
    await load.awaitAcks(80);
  });

  expectClean(report, { seed });
  expect(await running.listEnded()).toEqual([]);
});
