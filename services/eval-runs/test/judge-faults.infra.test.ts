import { once } from "node:events";
import { AppError } from "@touchstone/service-kit";
import { buildResult } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGate, until } from "./conditions.ts";
import { startCuttableProxy } from "./cuttable-proxy.ts";
import { rate, skippedAs, startFakeJudge } from "./fake-judge.ts";
import { createProjectClient, type HttpAnswer, type ProjectClient, startRun } from "./project-client.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await startTestSystem();
});

afterEach(() => system.stop());

describe("a judge that fails skips the result, with the reason, and never fails the call", () => {
  const metric = {
    name: "m",
    bleuScore: { enabled: true },
    questions: [{ main_question: { query: "q", expectedResults: "e" } }],
  };

  test("no judge is running", async () => {
    const client = createProjectClient((await system.startService({ outageMs: 1_000 })).address);
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
    const client = createProjectClient((await system.startService()).address);
    const submitting = client.submit(await startRun(client), [buildResult()]);

    await system.startJudge();

    expect((await submitting).body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });

  test("every judge is busy", async () => {
    const judge = await system.startJudge(1);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(4);
    });
    const occupant = createProjectClient((await system.startService()).address);
    const occupying = occupant.submit(await startRun(occupant), [buildResult()]);
    await until(() => expect(judge.atWork()).toBe(1));
    const client = createProjectClient((await system.startService({ resultMs: 1_500, storeMs: 200 })).address);

    const { body } = await client.submit(await startRun(client), [buildResult()]);

    expect(body.scoredResults).toMatchObject([
      skippedAs("Every judge was busy until the time for this result was over."),
    ]);
    gate.open();
    expect((await occupying).body.scoredResults).toMatchObject([{ rating: 4 }]);
  });

  test("a judge that is slower than the result's time", async () => {
    const judge = await system.startJudge();
    let wasTold = false;
    judge.behave(async (_body, call) => {
      await once(call.signal, "abort");
      wasTold = true;
      return rate(4);
    });
    const client = createProjectClient((await system.startService({ resultMs: 1_000, storeMs: 200 })).address);

    const { body } = await client.submit(await startRun(client), [buildResult()]);

    expect(body.scoredResults).toMatchObject([skippedAs("The result was not judged in time.")]);
    await until(() => expect(wasTold).toBe(true));
  });

  /** A judge that becomes silent during a request, like a killed one; `before` runs when it has accepted the result. */
  async function submitToDyingJudge(client: ProjectClient, before?: () => Promise<unknown>): Promise<HttpAnswer> {
    const proxy = await startCuttableProxy(system.nats.url);
    system.cleanups.defer(() => proxy.stop());
    const dying = await startFakeJudge(proxy.url);
    system.cleanups.defer(() => dying.stop());
    const gate = createGate();
    system.cleanups.defer(() => {
      // A member that is cut off before it sent its outcome would try to deliver it for as long as it may drain.
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
    const client = createProjectClient((await system.startService()).address);

    const { body } = await submitToDyingJudge(client, () => system.startJudge());

    expect(body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });

  test("a judge that dies at work, and there is no other", async () => {
    const client = createProjectClient((await system.startService({ outageMs: 1_000 })).address);

    const { body } = await submitToDyingJudge(client);

    expect(body.scoredResults).toMatchObject([skippedAs("No judge is running.")]);
  });

  test("a judge that throws, and one with invalid answers", async () => {
    const judge = await system.startJudge();
    judge.behave((body) => {
      if (body.case.output === "throws") throw new AppError("internal", "secret detail");
      return { verdicts: [], similarity: {} };
    });
    const client = createProjectClient((await system.startService()).address);

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
    await system.startJudge();
    const client = createProjectClient((await system.startService()).address);

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

  test("the bus is unavailable: results are skipped; runs are created, read and finalized, and the service stays ready", async () => {
    const running = await system.startService({ outageMs: 500 });
    const client = createProjectClient(running.address);
    await system.nats.kill("SIGKILL");
    await until(async () =>
      expect(await running.service.readiness()).toEqual({
        ready: true,
        checks: { schema: "ok", clock: "ok", database: "ok", bus: "disconnected", events: "NATS is unavailable." },
      }),
    );

    const runId = await startRun(client);
    const { body } = await client.submit(runId, [buildResult()]);

    expect(body.scoredResults).toMatchObject([
      skippedAs("The judge could not be asked: the message bus is unavailable."),
    ]);
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 1, averageRating: null });
    expect((await client.finalize(runId)).body).toMatchObject({ status: "completed" });
  });

  test("a bus that comes back within the outage's time loses nothing", async () => {
    const running = await system.startService();
    const client = createProjectClient(running.address);
    const runId = await startRun(client);
    await system.nats.kill("SIGKILL");
    await until(async () =>
      expect(await running.service.readiness()).toMatchObject({ checks: { bus: "disconnected" } }),
    );
    const submitting = client.submit(runId, [buildResult()]);
    await system.nats.restart();
    await system.startJudge();

    expect((await submitting).body.scoredResults).toMatchObject([{ status: "scored", rating: 7 }]);
  });
});
