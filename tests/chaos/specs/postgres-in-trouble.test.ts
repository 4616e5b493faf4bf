import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad, type Load } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import type { Answer } from "../src/http-client.ts";
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

const isRefusal = (answer: Answer | null): boolean => answer?.status === 503 && answer.headers["retry-after"] === "2";

/** Every request was answered, each refusal said when to retry, and there were no other answers. */
function expectOnlyHonestAnswers(load: Load): void {
  const other = load.answers.filter(
    (answer) =>
      answer === null ||
      !(
        [200, 201].includes(answer.status) ||
        isRefusal(answer) ||
        (answer.status === 429 && answer.headers["retry-after"] === "1")
      ),
  );
  expect(other).toEqual([]);
}

const submit = (load: Load, trace: object) => load.client.send("POST", "/ingest/traces", JSON.stringify(trace));
const traceIdOf = (answer: Answer | null): unknown => JSON.parse(answer?.text ?? "{}").trace_id;

async function isStored(spanId: string): Promise<boolean> {
  const { rows } = await system.postgres.query("select from ingest.spans where span_id = $1", [spanId]);
  return rows.length > 0;
}

test("row 2: an ingest that is killed between its commit and its answer is a 503, and the retry finds the trace", async () => {
  const report = await auditUnderLoad(system, { seed: 202, writers: 0 }, async (load) => {
    const spanId = randomUUID();
    await submit(load, { name: "opens the connections" });
    await system.database.set({ kind: "hold-answers" });
    const answered = submit(load, { name: "once", spanId });
    await waitUntil("the trace is committed", () => isStored(spanId));
    await ingest.kill();
    const unknown = await answered;
    await system.database.set({ kind: "pass" });
    await ingest.start();
    await system.settle();
    const first = await submit(load, { name: "once", spanId });
    const second = await submit(load, { name: "once", spanId });

    expect(isRefusal(unknown)).toBe(true);
    expect([first?.status, second?.status]).toEqual([201, 201]);
    expect(traceIdOf(first)).toBe(traceIdOf(second));
    const list = await load.client.read<{ totalCount: number }>("/ingest/traces");
    expect(list?.totalCount).toBe(2);
  });
  expect(report.findings.miscounted).toEqual([]);
});

test("row 6: PostgreSQL is restarted, crashes and loses its sessions: 503 meanwhile, and everything recovers without help", async () => {
  const seed = 206;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(30);
    await system.postgres.restart();
    await load.awaitAcks(30);
    await system.postgres.crash();
    await load.awaitAnswer("a request is told to retry", isRefusal);
    await system.postgres.restart();
    await load.awaitAcks(30);
    for (let round = 0; round < 3; round += 1) {
      await system.postgres.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'touchstone%'",
      );
      await load.awaitAcks(20);
    }
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
  expect(await system.listEnded()).toEqual([]);
});

test("row 7: with PostgreSQL refusing connections, or out of connections, nothing is stored and all requests get a retry response", async () => {
  const seed = 207;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(30);
    await system.database.set({ kind: "refuse" });
    await load.awaitAnswer("a request is told to retry", isRefusal);
    const taken = await takeEveryConnection();
    await system.database.set({ kind: "pass" });
    await load.awaitAnswer("a request is told to retry", isRefusal);
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
    await load.awaitAnswer("a request is told to retry", isRefusal);
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
    await load.awaitAnswer("a request is told to retry", isRefusal);
    await system.database.set({ kind: "pass" });
    await load.awaitAcks(80);
    expectOnlyHonestAnswers(load);
  });

  expectClean(report, { seed });
});

test("row 13: a transaction of ingest that a deadlock aborts is retried and stored once", async () => {
  const report = await auditUnderLoad(system, { seed: 213, writers: 0 }, async (load) => {
    await submit(load, { name: "makes the counters" });
    const session = await system.postgres.connect();
    try {
      // Ingest's session detects a deadlock after a second, ours after a minute, so ingest's transaction is the one
      // aborted.
      await session.query("set deadlock_timeout = '60s'");
      await session.query("begin");
      await session.query("select from ingest.root_counts where project_id = $1 for update", [load.projectId]);
      const answered = submit(load, { name: "stored once", spanId: "1" });
      const { rows: us } = await session.query("select pg_backend_pid() as pid");
      await waitUntil("ingest waits for us", async () => {
        const { rows } = await system.postgres.query(
          "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))",
          [us[0].pid],
        );
        return rows.length > 0;
      });
      await session.query("lock table ingest.span_keys in access exclusive mode");
      await session.query("commit");
      expect((await answered)?.status).toBe(201);
    } finally {
      await session.end();
    }
    const log = await readFile(system.postgres.logFile, "utf8");
    expect(log).toContain("deadlock detected");
    const list = await load.client.read<{ totalCount: number }>("/ingest/traces");
    expect(list?.totalCount).toBe(2);
  });
  expect(report.findings.miscounted).toEqual([]);
});

test("row 13: a store that can never serialize is a 503, and stores nothing", async () => {
  const report = await auditUnderLoad(system, { seed: 313, writers: 0 }, async (load) => {
    await system.postgres.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception using errcode = '40001', message = 'could not serialize access'; end $$;
      create trigger refuse before insert on ingest.span_keys for each row execute function refuse()`);
    const refused = await submit(load, { name: "never", spanId: "1" });
    await system.postgres.query("drop trigger refuse on ingest.span_keys; drop function refuse()");

    expect(isRefusal(refused)).toBe(true);
    const list = await load.client.read<{ totalCount: number }>("/ingest/traces");
    expect(list?.totalCount).toBe(0);
  });
  expect(report.findings.miscounted).toEqual([]);
});
