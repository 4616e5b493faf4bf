import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import { buildResult, createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sweepClosingRuns } from "../src/maintenance/complete-closing-runs.ts";
import type { Timings } from "../src/timings.ts";
import { startCuttableProxy } from "./cuttable-proxy.ts";
import {
  createGate,
  createProjectClient,
  type FakeJudge,
  type HttpAnswer,
  type ProjectClient,
  quiet,
  type RunningService,
  rate,
  rootSecret,
  startEvalRuns,
  startFakeJudge,
  until,
} from "./system-under-test.ts";

let database: TestDatabase;
let nats: TestNats;
/** What a test started, ended in reverse order. */
let cleanups: AsyncDisposableStack;

beforeEach(async () => {
  cleanups = new AsyncDisposableStack();
  database = await createTestDatabase();
  cleanups.defer(() => database.drop());
  nats = await startTestNats();
  cleanups.defer(() => nats.stop());
});

afterEach(() => cleanups.disposeAsync());

async function startService(timings: Partial<Timings> = {}, databaseUrl = database.url): Promise<RunningService> {
  const running = await startEvalRuns({ databaseUrl, natsUrl: nats.url, timings });
  cleanups.defer(() => running.service.stop());
  return running;
}

async function startJudge(concurrency?: number): Promise<FakeJudge> {
  const judge = await startFakeJudge(nats.url, concurrency);
  cleanups.defer(() => judge.stop());
  return judge;
}

/** A database connection that sees every project's rows, to look at what no client can see. */
function openMaintenance(): Database {
  return open(rolesOf("evals").maintenance);
}

function open(role: string): Database {
  const opened = openDatabase({
    url: database.url,
    role,
    applicationName: "test",
    connectionsMax: 2,
    statementTimeoutMs: 20_000,
    logger: quiet,
  });
  cleanups.defer(() => opened.close());
  return opened;
}

async function startRun(client: ProjectClient, dataset: object = { name: "Orders" }): Promise<string> {
  return client.createRun(await client.createDataset(dataset));
}

const skippedAs = (justification: string) => ({ status: "skipped", rating: null, justification });

describe("a judge that fails skips the result, with the reason, and never fails the call", () => {
  const metric = {
    name: "m",
    bleuScore: { enabled: true },
    questions: [{ main_question: { query: "q", expectedResults: "e" } }],
  };

  test("no judge is running", async () => {
    const client = createProjectClient((await startService({ outageMs: 1_000 })).address);
    const runId = await startRun(client, metric);

    const { status, body } = await client.submit(runId, [buildResult(), buildResult({ error: { type: "E" } })]);

    expect(status).toBe(200);
    expect(body.scoredResults).toMatchObject([
      { ...skippedAs("No judge is running."), bleuScore: null },
      { status: "failed", rating: 0 },
    ]);
    expect(body.liveStatistics).toMatchObject({ ratedCount: 1, skippedCount: 1, failedCount: 1 });
  });

  test("a judge that starts within the outage's time is found", async () => {
    const client = createProjectClient((await startService()).address);
    const submitting = client.submit(await startRun(client), [buildResult()]);

    await startJudge();

    expect((await submitting).body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });

  test("every judge is busy", async () => {
    const judge = await startJudge(1);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(4);
    });
    const occupant = createProjectClient((await startService()).address);
    const occupying = occupant.submit(await startRun(occupant), [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    const client = createProjectClient((await startService({ resultMs: 1_500, storeMs: 200 })).address);

    const { body } = await client.submit(await startRun(client), [buildResult()]);

    expect(body.scoredResults).toMatchObject([
      skippedAs("Every judge was busy until the time for this result was over."),
    ]);
    gate.open();
    expect((await occupying).body.scoredResults).toMatchObject([{ rating: 4 }]);
  });

  test("a judge that is slower than the result's time", async () => {
    const judge = await startJudge();
    let wasTold = false;
    judge.behave(async (_body, call) => {
      await once(call.signal, "abort");
      wasTold = true;
      return rate(4);
    });
    const client = createProjectClient((await startService({ resultMs: 1_000, storeMs: 200 })).address);

    const { body } = await client.submit(await startRun(client), [buildResult()]);

    expect(body.scoredResults).toMatchObject([skippedAs("The result was not judged in time.")]);
    await until(() => expect(wasTold).toBe(true));
  });

  /** A judge falls silent at work, as one that was killed; `before` runs when it has accepted the result. */
  async function submitToDyingJudge(client: ProjectClient, before?: () => Promise<unknown>): Promise<HttpAnswer> {
    const proxy = await startCuttableProxy(nats.url);
    cleanups.defer(() => proxy.stop());
    const dying = await startFakeJudge(proxy.url);
    cleanups.defer(() => dying.stop());
    const gate = createGate();
    cleanups.defer(() => {
      // A member that is cut off with an outcome in hand would try to deliver it for as long as it may drain.
      proxy.mend();
      gate.open();
    });
    dying.behave(async () => {
      await gate.opened;
      return rate(1);
    });
    const submitting = client.submit(await startRun(client), [buildResult()]);
    await until(() => expect(dying.atWork()).toBe(1));
    await before?.();
    proxy.cut();
    return submitting;
  }

  test("a judge that dies at work is replaced by another", async () => {
    const client = createProjectClient((await startService()).address);

    const { body } = await submitToDyingJudge(client, () => startJudge());

    expect(body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });

  test("a judge that dies at work, and there is no other", async () => {
    const client = createProjectClient((await startService({ outageMs: 1_000 })).address);

    const { body } = await submitToDyingJudge(client);

    expect(body.scoredResults).toMatchObject([skippedAs("No judge is running.")]);
  });

  test("a judge that throws, and one that answers nonsense", async () => {
    const judge = await startJudge();
    judge.behave((body) => {
      if (body.case.output === "throws") throw new AppError("internal", "secret detail");
      return { verdicts: [], similarity: {} };
    });
    const client = createProjectClient((await startService()).address);

    const { body } = await client.submit(await startRun(client), [
      buildResult({ output: { text: "throws" } }),
      buildResult(),
    ]);

    expect(body.scoredResults).toMatchObject([
      skippedAs("The judge failed on this result."),
      skippedAs("The judge returned no verdict."),
    ]);
  });

  test("a result that the bus does not carry", async () => {
    await startJudge();
    const client = createProjectClient((await startService()).address);

    const { body } = await client.submit(await startRun(client), [
      buildResult({ output: { text: "x".repeat(9 * 1024 * 1024) } }),
      buildResult(),
    ]);

    expect(body.scoredResults[0]).toMatchObject({ status: "skipped", rating: null });
    expect(body.scoredResults[0].justification).toMatch(
      /^The result is too large to judge \(943\d{4} bytes, limit 8\d{6}\)\.$/,
    );
    expect(body.scoredResults[1]).toMatchObject({ status: "scored" });
  });

  test("the bus is away: results are skipped; runs are created, read and finalized, and the service stays ready", async () => {
    const running = await startService({ outageMs: 500 });
    const client = createProjectClient(running.address);
    await nats.kill("SIGKILL");
    await until(async () =>
      expect(await running.service.readiness()).toEqual({
        ready: true,
        checks: { schema: "ok", database: "ok", bus: "disconnected" },
      }),
    );

    const runId = await startRun(client);
    const { body } = await client.submit(runId, [buildResult()]);

    expect(body.scoredResults).toMatchObject([skippedAs("The judge could not be asked: the message bus is away.")]);
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 1, averageRating: null });
    expect((await client.finalize(runId)).body).toMatchObject({ status: "completed" });
  });

  test("a bus that comes back within the outage's time loses nothing", async () => {
    const running = await startService();
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    await nats.kill("SIGKILL");
    await until(async () =>
      expect(await running.service.readiness()).toMatchObject({ checks: { bus: "disconnected" } }),
    );
    const submitting = client.submit(runId, [buildResult()]);
    await nats.restart();
    await startJudge();

    expect((await submitting).body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });
});

describe("a claim is a lease", () => {
  test("that is kept alive for as long as the judge takes", async () => {
    const judge = await startJudge();
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const client = createProjectClient((await startService({ leaseMs: 300, heartbeatMs: 50 })).address);
    const runId = await startRun(client);
    const results = [buildResult()];
    const first = client.submit(runId, results);
    await until(() => expect(judge.atWork()).toBe(1));
    const maintenance = openMaintenance();
    const readLease = async (): Promise<number> => {
      const { rows } = await maintenance.query<{ lease_until: Date }>({
        name: "test_lease",
        text: "select lease_until from evals.claims",
      });
      return rows[0]?.lease_until.getTime() ?? 0;
    };
    const firstLease = await readLease();
    const second = client.submit(runId, results);

    // Three leases long, somebody waits to take over.
    await until(async () => expect(await readLease()).toBeGreaterThan(firstLease + 900));
    expect(judge.asked).toHaveLength(1);
    gate.open();

    expect((await first).body).toMatchObject({ accepted: 1, duplicates: 0 });
    expect((await second).body).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(judge.asked).toHaveLength(1);
  });

  test("that ends with the result's deadline, renewed or not", async () => {
    const judge = await startJudge();
    const gate = createGate();
    cleanups.defer(() => gate.open());
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const client = createProjectClient(
      (await startService({ leaseMs: 60_000, heartbeatMs: 20, resultMs: 1_500, storeMs: 100 })).address,
    );
    const submitting = client.submit(await startRun(client), [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    const maintenance = openMaintenance();

    // Every renewal writes the row anew, which its xmin shows.
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

  test("that somebody else took over: the late judgement is no error but a duplicate", async () => {
    const judge = await startJudge();
    const [late, latest] = [createGate(), createGate()];
    judge.behave(async () => {
      const isFirst = judge.asked.length === 1;
      await (isFirst ? late : latest).opened;
      return rate(isFirst ? 1 : 2);
    });
    // Without a heartbeat in time, as after a long pause of the whole process.
    const paused = createProjectClient((await startService({ leaseMs: 100, heartbeatMs: 60_000 })).address);
    const other = createProjectClient((await startService()).address, paused.projectId);
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

  test("that a stopping service gives back: a retry elsewhere need not wait for it to end", async () => {
    const judge = await startJudge();
    const gate = createGate();
    cleanups.defer(() => gate.open());
    judge.behave(async () => {
      await gate.opened;
      return rate(1);
    });
    const leaving = await startService({ stopGraceMs: 100, leaseMs: 60_000 });
    const client = createProjectClient(leaving.address);
    const runId = await startRun(client);
    const results = [buildResult(), buildResult()];
    const broken = client.submit(runId, results).catch(() => "cut off");
    await until(() => expect(judge.atWork()).toBe(2));
    await leaving.service.stop();
    await broken;
    judge.behave(() => rate(5));

    const retry = createProjectClient((await startService()).address, client.projectId);
    const { body } = await retry.submit(runId, results);

    expect(body).toMatchObject({ accepted: 2, liveStatistics: { averageRating: 5 } });
  });
});

describe("a service that is killed in the middle of a batch", () => {
  async function startChild(): Promise<{ child: ChildProcess; address: string }> {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, "child-eval-runs.ts")], {
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        SERVICE_DB_URL: database.url,
        SERVICE_NATS_URL: nats.url,
        SERVICE_INTERNAL_SECRET: rootSecret,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    cleanups.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const { msg, address } = JSON.parse(line);
      if (msg === "serving") return { child, address };
    }
    throw new Error("the child ended before it served");
  }

  /** Kills the child when three of a batch of ten are stored and seven are being judged. */
  async function killMidBatch(judge: FakeJudge): Promise<{ projectId: string; runId: string; results: object[] }> {
    const { child, address } = await startChild();
    const client = createProjectClient(address);
    let runId = "";
    await until(async () => {
      runId = await startRun(client);
    });
    const results = Array.from({ length: 10 }, (_, index) => buildResult({ output: { text: String(index) } }));
    judge.behave(async (body, call) => {
      if (Number(body.case.output) < 3) return rate(9);
      await once(call.signal, "abort");
      return rate(1);
    });
    const submitting = client.submit(runId, results).catch(() => "cut off");
    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 3 }));
    await until(() => expect(judge.atWork()).toBe(7));
    child.kill("SIGKILL");
    expect(await submitting).toBe("cut off");
    return { projectId: client.projectId, runId, results };
  }

  test("the retry echoes what was stored and takes the rest over", async () => {
    const judge = await startJudge();
    const { projectId, runId, results } = await killMidBatch(judge);
    judge.behave(() => rate(5));
    const client = createProjectClient((await startService()).address, projectId);

    const { status, body } = await client.submit(runId, results);

    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 7, duplicates: 3, failedValidation: 0 });
    expect(body.scoredResults.map((scored: { rating: number }) => scored.rating)).toEqual([
      ...Array(3).fill(9),
      ...Array(7).fill(5),
    ]);
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 10, averageRating: (3 * 9 + 7 * 5) / 10 });
  });

  test("finalizing stores what nobody finished as skipped, with all that was submitted", async () => {
    const judge = await startJudge();
    const { projectId, runId, results } = await killMidBatch(judge);
    const client = createProjectClient((await startService()).address, projectId);

    const { body } = await client.finalize(runId);

    expect(body).toMatchObject({
      status: "completed",
      resultCount: 10,
      averageRating: 9,
      liveStatistics: { ratedCount: 3, skippedCount: 7 },
    });
    const run = await client.readRun(runId);
    expect(run.results.map((row: { output: { text: string } }) => row.output.text)).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index)),
    );
    expect(run.results[9]).toMatchObject(skippedAs("The run was finalized before this result was judged."));
    expect((await client.submit(runId, results)).status).toBe(409);
  });
});

describe("a batch that was let in before its run was closed", () => {
  test.each(["closing_as = 'completed', closing_since = now()", "status = 'failed'"])(
    "is refused where it claims, and leaves nothing behind (%s)",
    async (change) => {
      const judge = await startJudge();
      const client = createProjectClient((await startService()).address);
      const runId = await startRun(client);
      const maintenance = openMaintenance();
      const countLockWaits = async (): Promise<number> => {
        const text = "select count(*)::integer as count from pg_locks where not granted";
        const { rows } = await maintenance.query<{ count: number }>({ name: "test_locks", text });
        return rows[0]?.count ?? 0;
      };

      const submitting = await open(rolesOf("evals").app).scoped([client.projectId], async (transaction) => {
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
    const judge = await startJudge();
    judge.behave(async (_body, call) => {
      await once(call.signal, "abort");
      return rate(1);
    });
    const dying = await startService({ stopGraceMs: 0, leaseMs: 60_000 });
    const client = createProjectClient(dying.address);
    const runId = await startRun(client);
    const submitting = client.submit(runId, [buildResult()]).catch(() => "cut off");
    await until(() => expect(judge.atWork()).toBe(1));
    const finalizing = client.finalize(runId, { status: "failed" }).catch(() => "cut off");
    await until(async () => expect((await client.submit(runId, [{}])).status).toBe(409));
    await dying.service.stop();
    await Promise.all([submitting, finalizing]);
    const reader = createProjectClient((await startService()).address, client.projectId);
    expect(await reader.readRun(runId)).toMatchObject({ status: "in_progress" });

    const sweeping = { database: openMaintenance(), logger: quiet };
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

describe("PostgreSQL away", () => {
  test("at the start: the service is up, says why it is not ready, answers 503, and recovers by itself", async () => {
    const proxy = await startCuttableProxy(database.url, true);
    cleanups.defer(() => proxy.stop());
    const running = await startEvalRuns({ databaseUrl: proxy.url, natsUrl: nats.url, untilReady: false });
    cleanups.defer(() => running.service.stop());
    const client = createProjectClient(running.address);

    const refused = await client.send("POST", "/datasets", { name: "n" });

    expect(refused).toMatchObject({ status: 503, body: { error: "The database is unavailable; retry." } });
    expect(refused.headers.get("retry-after")).toBe("2");
    const readiness = await fetch(`${running.address}/health/ready`);
    expect(readiness.status).toBe(503);
    proxy.mend();
    await until(async () => expect((await client.send("POST", "/datasets", { name: "n" })).status).toBe(201));
    expect(await running.service.readiness()).toMatchObject({ ready: true });
  });

  test("while a batch is judged: 503, and the retry takes up what is left", async () => {
    const judge = await startJudge();
    const proxy = await startCuttableProxy(database.url);
    cleanups.defer(() => proxy.stop());
    const running = await startService({ leaseMs: 500, heartbeatMs: 100 }, proxy.url);
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    const gate = createGate();
    judge.behave(async (body) => {
      if (body.case.output === "slow") await gate.opened;
      return rate(6);
    });
    const results = [buildResult({ output: { text: "slow" } }), buildResult()];
    const submitting = client.submit(runId, results);
    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 1 }));
    proxy.cut();
    gate.open();

    const answer = await submitting;
    expect(answer).toMatchObject({ status: 503, body: { error: "The database is unavailable; retry." } });
    expect(answer.headers.get("retry-after")).toBe("2");
    expect((await client.send("GET", `/runs/${runId}`)).status).toBe(503);

    proxy.mend();
    await until(async () => {
      const retried = await client.submit(runId, results);
      expect(retried.status).toBe(200);
    });
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 2, averageRating: 6 });
  });

  test("for a moment while a result is stored: the judgement is not lost", async () => {
    const judge = await startJudge();
    const proxy = await startCuttableProxy(database.url);
    cleanups.defer(() => proxy.stop());
    const running = await startService({}, proxy.url);
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(6);
    });
    const submitting = client.submit(runId, [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    proxy.cut();
    gate.open();
    await until(() => expect(proxy.refused()).toBeGreaterThan(0));
    proxy.mend();

    expect(await submitting).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(judge.asked).toHaveLength(1);
  });
});

describe("a dataset that is edited after a run was created", () => {
  test("changes nothing for the run, and everything for the next one", async () => {
    const judge = await startJudge();
    const client = createProjectClient((await startService()).address);
    const question = (query: string) => ({ main_question: { query, expectedResults: "e" } });
    const before = { name: "n", acceptanceCriteria: "old", questions: [question("old question")] };
    const datasetId = await client.createDataset(before);
    const earlier = await client.createRun(datasetId);
    await publishVersion(datasetId, { ...before, acceptanceCriteria: "new", questions: [question("new question")] });
    const later = await client.createRun(datasetId);

    for (const runId of [earlier, later]) await client.submit(runId, [buildResult()]);

    expect(judge.asked.map((asked) => asked.judges[0]?.acceptanceCriteria)).toEqual(["old", "new"]);
    expect((await client.readRun(earlier)).results[0].questionText).toBe("old question");
    expect((await client.readRun(later)).results[0].questionText).toBe("new question");
  });

  /** What editing a dataset does; there is no route for it yet. */
  async function publishVersion(datasetId: string, document: object): Promise<void> {
    const admin = openDatabase({
      url: database.adminUrl,
      role: new URL(database.adminUrl).username,
      applicationName: "test",
      connectionsMax: 1,
      statementTimeoutMs: 5_000,
      logger: quiet,
    });
    cleanups.defer(() => admin.close());
    await admin.query({
      name: "test_publish_version",
      text: `
        with edited as (
          update evals.datasets
          set version = version + 1
          where id = $1
          returning *
        )
        insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
        select project_id, id, version, $2, now()
        from edited`,
      values: [datasetId, JSON.stringify({ numberOfRequests: 1, ...document })],
    });
  }
});

describe("row-level security", () => {
  test("holds by itself: without the project in scope nothing is seen, changed or put there", async () => {
    const client = createProjectClient((await startService()).address);
    await startJudge();
    const runId = await startRun(client);
    await client.submit(runId, [buildResult()]);
    const app = open(rolesOf("evals").app);
    const stranger = createProjectClient("http://127.0.0.1").projectId;

    for (const table of ["datasets", "dataset_versions", "runs", "results"]) {
      const count = { name: `test_count_${table}`, text: `select count(*)::integer as count from evals.${table}` };
      const seen = async (projectIds: string[]) =>
        app.scoped(projectIds, async (transaction) => (await transaction.query(count)).rows[0]?.count);
      expect([await seen([]), await seen([stranger]), await seen([client.projectId])]).toEqual([0, 0, 1]);
    }
    await app.scoped([stranger], async (transaction) => {
      const changed = await transaction.query({
        name: "test_update",
        text: "update evals.runs set status = 'failed' where id = $1",
        values: [runId],
      });
      expect(changed.rowCount).toBe(0);
    });
    await expect(
      app.scoped([stranger], (transaction) =>
        transaction.query({
          name: "test_insert",
          text: "insert into evals.datasets (project_id, id, version, created_at) values ($1, $1, 1, now())",
          values: [client.projectId],
        }),
      ),
    ).rejects.toThrow("row-level security");
  });
});
