import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad, type Load } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { expectOnlyHonestAnswers, isRefusal } from "../src/honest-answers.ts";
import type { Answer } from "../src/http-client.ts";
import { type Installation, type ServiceSlot, startInstallation } from "../src/installation.ts";

let system: Installation;
let ingest: ServiceSlot;

beforeAll(async () => {
  system = await startInstallation();
  ingest = system.ingests[0] as ServiceSlot;
});

afterAll(async () => {
  await system?.stop();
});

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
    await load.awaitAnswer("a request gets a retry answer", isRefusal);
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
