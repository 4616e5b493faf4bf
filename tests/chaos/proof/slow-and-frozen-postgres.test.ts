import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { expectOnlyHonestAnswers, isRefusal } from "../src/honest-answers.ts";
import { type Installation, type ServiceSlot, startInstallation } from "../src/installation.ts";
import { databaseUrlAt } from "../src/postgres-server.ts";
import { readResidentBytes } from "../src/process-tree.ts";

let system: Installation;
let ingest: ServiceSlot;

const queueRowsMax = 40;

beforeAll(async () => {
  system = await startInstallation({
    settings: { SERVICE_INGEST_QUEUE_MAX: String(queueRowsMax) },
    postgres: { connectionsMax: 60 },
  });
  ingest = system.ingests[0] as ServiceSlot;
});

afterAll(async () => {
  await system?.stop();
});

test("row 7: with PostgreSQL refusing connections, or out of connections, nothing is stored and all requests get a retry response", async () => {
  const seed = 207;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(30);
    await system.database.set({ kind: "refuse" });
    await load.awaitAnswer("a request gets a retry answer", isRefusal);
    const taken = await takeEveryConnection();
    await system.database.set({ kind: "pass" });
    await load.awaitAnswer("a request gets a retry answer", isRefusal);
    await Promise.all(taken.map((client) => client.end()));
    await load.awaitAcks(80);
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
});

async function takeEveryConnection(): Promise<Client[]> {
  const taken: Client[] = [];
  for (;;) {
    const client = new Client({ connectionString: databaseUrlAt(system.postgres.port) });
    client.on("error", () => undefined);
    try {
      await client.connect();
      taken.push(client);
    } catch {
      return taken;
    }
  }
}

test("row 8: with PostgreSQL slow, the queue fills, requests beyond it get 429, and memory stays the same", async () => {
  const before = await readResidentBytes(ingest.process.pid);
  const seed = 208;
  const report = await auditUnderLoad(system, { seed, writers: queueRowsMax + 20 }, async (load) => {
    await load.awaitAcks(30);
    await system.database.set({ kind: "delay", ms: 1_000 });
    await load.awaitAnswer("the queue is full", (answer) => answer?.status === 429);
    await load.awaitAnswer("some are served", (answer) => answer?.status === 201);
    await system.database.set({ kind: "pass" });
    await load.awaitAcks(100);
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
  expect((await readResidentBytes(ingest.process.pid)) - before).toBeLessThan(150 * 1024 * 1024);
});

test("row 28: three hundred clients that retry without a pause get 429, and the system is back to normal when they stop", async () => {
  const seed = 228;
  const report = await auditUnderLoad(system, { seed, writers: 4 }, async (load) => {
    const storm = { statuses: new Set<number | undefined>(), sent: 0 };
    const insist = async (client: number): Promise<void> => {
      const body = JSON.stringify({ name: "storm", spanId: `${client}` });
      for (let tries = 0; tries < 20; tries += 1) {
        const answer = await load.client.send("POST", "/ingest/traces", body);
        storm.statuses.add(answer?.status);
        storm.sent += 1;
        if (answer?.status === 201) return;
      }
    };
    await load.awaitAcks(10);
    await Promise.all(Array.from({ length: 300 }, (_, client) => insist(client)));
    await load.awaitAcks(80);

    expect([...storm.statuses].sort()).toEqual([201, 429]);
    expect(storm.sent).toBeGreaterThan(300);
    expectOnlyHonestAnswers(load);
  });

  // The ledger does not contain the retry storm.
  const { ghosts } = report.findings;
  expect(new Set(ghosts)).toEqual(new Set(["storm was never sent"]));
  expectClean({ ...report, findings: { ...report.findings, ghosts: [] } }, { seed });
});

test("row 9: with PostgreSQL frozen, every request gets a 503 in time, and none is lost or duplicated afterwards", async () => {
  const seed = 209;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(30);
    await system.postgres.freeze();
    await load.awaitAnswer("a request gets a retry answer", isRefusal);
    await system.postgres.thaw();
    await load.awaitAcks(80);
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
});

test("row 9: with the network path to PostgreSQL dead, every request gets a 503 in time, and none is lost or duplicated afterwards", async () => {
  const seed = 309;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(30);
    await system.database.set({ kind: "hold" });
    await load.awaitAnswer("a request gets a retry answer", isRefusal);
    await system.database.set({ kind: "pass" });
    await load.awaitAcks(80);
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
});
