import { once } from "node:events";
import { buildResult } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sweepClosingRuns } from "../src/runs/complete-closing-runs.ts";
import { createGate, until } from "./conditions.ts";
import { rate, skippedAs } from "./fake-judge.ts";
import { createProjectClient, startRun } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await startTestSystem();
});

afterEach(() => system.stop());

describe("a claim is a lease", () => {
  test("that is kept alive for as long as the judge takes", async () => {
    const judge = await system.startJudge();
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const client = createProjectClient((await system.startService({ leaseMs: 300, heartbeatMs: 50 })).address);
    const runId = await startRun(client);
    const results = [buildResult()];
    const first = client.submit(runId, results);
    await until(() => expect(judge.atWork()).toBe(1));
    const maintenance = system.open("maintenance");
    const readLease = async (): Promise<number> => {
      const { rows } = await maintenance.query<{ lease_until: Date }>({
        name: "test_lease",
        text: "select lease_until from evals.claims",
      });
      return rows[0]?.lease_until.getTime() ?? 0;
    };
    const firstLease = await readLease();
    const second = client.submit(runId, results);

    // Another instance waits three leases to take over.
    await until(async () => expect(await readLease()).toBeGreaterThan(firstLease + 900));
    expect(judge.asked).toHaveLength(1);
    gate.open();

    expect((await first).body).toMatchObject({ accepted: 1, duplicates: 0 });
    expect((await second).body).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(judge.asked).toHaveLength(1);
  });

  test("that ends with the result's deadline, renewed or not", async () => {
    const judge = await system.startJudge();
    const gate = createGate();
    system.cleanups.defer(() => gate.open());
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const client = createProjectClient(
      (await system.startService({ leaseMs: 60_000, heartbeatMs: 20, resultMs: 1_500, storeMs: 100 })).address,
    );
    const submitting = client.submit(await startRun(client), [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    const maintenance = system.open("maintenance");

    // Every renewal rewrites the row, which its xmin shows.
    const versions = new Set<string>();
    await until(async () => {
      const { rows } = await maintenance.query<{ version: string; is_within: boolean }>({
        name: "test_lease_within",
        text: "select xmin::text as version, lease_until <= deadline_at as is_within from evals.claims",
      });
      expect(rows[0]?.is_within).toBe(true);
      versions.add(rows[0]?.version ?? "");
      expect(versions.size).toBeGreaterThan(3);
    });
    expect((await submitting).body.scoredResults).toMatchObject([skippedAs("The result was not judged in time.")]);
  });

  test("that another instance took over: the late judgement is no error but a duplicate", async () => {
    const judge = await system.startJudge();
    const [late, latest] = [createGate(), createGate()];
    judge.behave(async () => {
      const isFirst = judge.asked.length === 1;
      await (isFirst ? late : latest).opened;
      return rate(isFirst ? 1 : 2);
    });
    // Without a heartbeat in time, as after a long pause of the whole process.
    const paused = createProjectClient((await system.startService({ leaseMs: 100, heartbeatMs: 60_000 })).address);
    const other = createProjectClient((await system.startService()).address, paused.projectId);
    const runId = await startRun(paused);
    const results = [buildResult()];
    const first = paused.submit(runId, results);
    await until(() => expect(judge.atWork()).toBe(1));
    const second = other.submit(runId, results);
    await until(() => expect(judge.atWork()).toBe(2));

    late.open();
    await until(() => expect(judge.atWork()).toBe(1));
    for (let look = 0; look < 20; look += 1) expect((await paused.readRun(runId)).resultCount).toBe(0);
    latest.open();

    expect((await second).body).toMatchObject({ accepted: 1, scoredResults: [{ rating: 2 }] });
    expect((await first).body).toMatchObject({
      accepted: 0,
      duplicates: 1,
      scoredResults: [{ rating: 2, deduped: true }],
    });
    expect((await paused.readRun(runId)).results).toMatchObject([{ rating: 2 }]);
  });

  test("that a stopping service releases: a retry elsewhere need not wait for it to end", async () => {
    const judge = await system.startJudge();
    const gate = createGate();
    system.cleanups.defer(() => gate.open());
    judge.behave(async () => {
      await gate.opened;
      return rate(1);
    });
    const leaving = await system.startService({ stopGraceMs: 100, leaseMs: 60_000 });
    const client = createProjectClient(leaving.address);
    const runId = await startRun(client);
    const results = [buildResult(), buildResult()];
    const broken = client.submit(runId, results).catch(() => "cut off");
    await until(() => expect(judge.atWork()).toBe(2));
    await leaving.service.stop();
    await broken;
    judge.behave(() => rate(5));

    const retry = createProjectClient((await system.startService()).address, client.projectId);
    const { body } = await retry.submit(runId, results);

    expect(body).toMatchObject({ accepted: 2, liveStatistics: { averageRating: 5 } });
  });
});

describe("a batch that was let in before its run was closed", () => {
  test.each(["closing_as = 'completed', closing_since = now()", "status = 'failed'"])(
    "is refused where it claims, and leaves nothing behind (%s)",
    async (change) => {
      const judge = await system.startJudge();
      const client = createProjectClient((await system.startService()).address);
      const runId = await startRun(client);
      const maintenance = system.open("maintenance");
      const countLockWaits = async (): Promise<number> => {
        const text = "select count(*)::integer as count from pg_locks where not granted";
        const { rows } = await maintenance.query<{ count: number }>({ name: "test_locks", text });
        return rows[0]?.count ?? 0;
      };

      const submitting = await system.open("app").scoped([client.projectId], async (transaction) => {
        const text = `update evals.runs set ${change} where id = $1`;
        await transaction.query({ name: "test_close", text, values: [runId] });
        const batch = client.submit(runId, [buildResult()]);
        await until(async () => expect(await countLockWaits()).toBeGreaterThan(0));
        return { batch };
      });

      expect(await submitting.batch).toMatchObject({
        status: 409,
        body: { error: "Run is already in a terminal state" },
      });
      expect(judge.asked).toHaveLength(0);
      const claims = await maintenance.query({ name: "test_claims", text: "select from evals.claims" });
      expect(claims.rowCount).toBe(0);
    },
  );
});

describe("a finalize that died half-way", () => {
  test("is completed by the sweeper, not before any other finalize could have waited", async () => {
    const judge = await system.startJudge();
    judge.behave(async (_body, call) => {
      await once(call.signal, "abort");
      return rate(1);
    });
    const dying = await system.startService({ stopGraceMs: 0, leaseMs: 60_000 });
    const client = createProjectClient(dying.address);
    const runId = await startRun(client);
    const submitting = client.submit(runId, [buildResult()]).catch(() => "cut off");
    await until(() => expect(judge.atWork()).toBe(1));
    const finalizing = client.finalize(runId, { status: "failed" }).catch(() => "cut off");
    await until(async () => expect((await client.submit(runId, [{}])).status).toBe(409));
    await dying.service.stop();
    await Promise.all([submitting, finalizing]);
    const reader = createProjectClient((await system.startService()).address, client.projectId);
    expect(await reader.readRun(runId)).toMatchObject({ status: "in_progress" });

    const sweeping = { database: system.open("maintenance"), logger: quiet };
    const patient = sweepClosingRuns({ ...sweeping, batchMs: 60_000 });
    expect(await patient.sweep()).toBe(0);
    await patient.stop();
    const sweeper = sweepClosingRuns({ ...sweeping, batchMs: 0 });
    expect(await sweeper.sweep()).toBe(1);
    expect(await sweeper.sweep()).toBe(0);
    await sweeper.stop();

    expect(await reader.readRun(runId)).toMatchObject({ status: "failed" });
  });
});
