import { connectBus } from "@touchstone/bus";
import { ciRunDetail, ciVerdict, gateRecorded } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { systemClock } from "@touchstone/service-kit";
import type { RegularSweep } from "@touchstone/store-service";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { createCiRunStore } from "../src/ci-runs/ci-run-store.ts";
import { sweepExpiredCiRuns } from "../src/ci-runs/end-expired-ci-runs.ts";
import { createResultStore } from "../src/results/result-store.ts";
import { createRunStore } from "../src/runs/run-store.ts";
import { type CiClient, createCiClient, rateOutput, refusal } from "./ci-client.ts";
import { createGate, until } from "./conditions.ts";
import type { HttpAnswer } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let database: Database;
let client: CiClient;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeAll(() => {
  database = system.open("maintenance");
});

beforeEach(() => {
  client = createCiClient(running.address);
  judge.behave(rateOutput);
});

const expire = (runId: string) =>
  database.query({
    name: "test_expire",
    text: "update evals.ci_runs set expires_at = now() - interval '1 second' where run_id = $1",
    values: [runId],
  });

describe("finalizing a CI run", () => {
  test("decides over all questions, and keeps a failing verdict in the history of gates", {
    tags: ["spec:ci.finalize", "spec:ci.get"],
  }, async () => {
    const git_context = { branch: "main" };
    const { run_id: runId, dataset_id } = await client.start(await client.createCiDataset(), { git_context });
    await client.answerInBulk(runId, [9, 4, 7]);

    const { status, body } = await client.finalizeCi(runId);

    expect(status).toBe(200);
    expect(ciVerdict.parse(body)).toEqual({
      run_id: runId,
      gate: "fail",
      pass_rate: 0.4,
      pass_rate_threshold: 0.8,
      total_questions: 5,
      passed_questions: 2,
      results_submitted: 3,
      scores: [
        { question_index: 0, rating: 9, justification: "Rated 9.", passed: true, input: "Question 0?", output: "9" },
        { question_index: 1, rating: 4, justification: "Rated 4.", passed: false, input: "Question 1?", output: "4" },
        { question_index: 2, rating: 7, justification: "Rated 7.", passed: true, input: "Question 2?", output: "7" },
      ],
      violations: [
        { question_index: 1, metric: "rating", threshold: 5, actual: 4, question_text: "Question 1?" },
        { question_index: 3, metric: "missing", threshold: 1, actual: 0, question_text: "Question 3?" },
        { question_index: 4, metric: "missing", threshold: 1, actual: 0, question_text: "Question 4?" },
      ],
      git_context,
      finalized_at: expect.stringMatching(/Z$/),
      status: "completed",
    });
    expect(ciRunDetail.parse((await client.readCi(runId)).body)).toMatchObject({
      pass_rate_threshold: 0.8,
      violations: body.violations,
      status: "completed",
      gate: "fail",
      pass_rate: 0.4,
      results_submitted: 3,
      finalized_at: body.finalized_at,
    });
    expect(await client.listGates()).toMatchObject([
      {
        runId,
        datasetId: dataset_id,
        datasetName: "Orders",
        passed: false,
        caller: "ci-run",
        averageRating: 6.67,
        baselineAverage: null,
        checks: [
          { check: "pass-rate", passed: false, threshold: 0.8, actual: 0.4, detail: "2 of 5 questions passed." },
        ],
      },
    ]);
    const withoutCiRuns = await client.sendTo("GET", "/api/v1/evaluate/ci/gates?ciRuns=none");
    expect(withoutCiRuns.body).toMatchObject({ gates: [], totalCount: 0 });
    expect((await client.readRun(runId)).status).toBe("completed");
    expect(await client.answer(runId, 3, "9")).toMatchObject(refusal(409, "Run is already in a terminal state"));
  });

  test("tells monitor of a failing verdict as of any recorded gate, once however often it is asked, and of no other", {
    tags: ["spec:ci.finalize"],
  }, async () => {
    const told: z.infer<typeof gateRecorded.body>[] = [];
    const monitor = connectBus({ url: system.nats.url, service: "monitor", logger: quiet });
    system.cleanups.defer(() => monitor.drain());
    await vi.waitFor(() => expect(monitor.status()).toBe("connected"));
    await monitor.consume(gateRecorded, { durable: "monitor-gate-recorded" }, async (event) => {
      if (event.projectId === client.projectId) told.push(event);
    });
    const datasetId = await client.createCiDataset({ passRateThreshold: 0.4 });
    const end = async (ratings: number[]) => {
      const { run_id: runId } = await client.start(datasetId);
      if (ratings.length > 0) await client.answerInBulk(runId, ratings);
      await Promise.all(Array.from({ length: 5 }, () => client.finalizeCi(runId)));
      return runId;
    };
    const failed = await end([9]);
    await end([9, 9]);
    const failedLater = await end([]);
    await vi.waitFor(() => expect(told.map(({ runId }) => runId)).toContain(failedLater));

    expect(told.map(({ runId }) => runId).toSorted()).toEqual([failed, failedLater].toSorted());
    const [recorded] = (await client.listGates()).filter(({ runId }) => runId === failed);
    expect(told.find(({ runId }) => runId === failed)).toEqual({
      projectId: client.projectId,
      gateId: recorded?._id,
      runId: failed,
      datasetId,
      passed: false,
      failedChecks: ["1 of 5 questions passed."],
      recordedAt: recorded?.createdAt,
    });
  });

  test("passes at the threshold that was asked for, and records nothing", { tags: ["spec:ci.finalize"] }, async () => {
    const { run_id: runId } = await client.start(await client.createCiDataset({ passRateThreshold: 1 }), {
      pass_rate_threshold: 0.4,
    });
    await client.answerInBulk(runId, [9, 5, 4]);
    expect((await client.finalizeCi(runId)).body).toMatchObject({
      gate: "pass",
      pass_rate: 0.4,
      pass_rate_threshold: 0.4,
    });
    expect((await client.readCi(runId)).body).toMatchObject({ status: "completed", gate: "pass" });
    expect(await client.listGates()).toEqual([]);
  });

  test("answers every caller the one stored verdict", { tags: ["spec:ci.finalize"] }, async () => {
    const runId = await client.startRun();
    await client.answerInBulk(runId, [9, 4]);
    const answers: HttpAnswer[] = await Promise.all(Array.from({ length: 20 }, () => client.finalizeCi(runId)));
    answers.push(await client.finalizeCi(runId));
    await expire(runId);
    answers.push(await client.finalizeCi(runId));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await client.listGates()).toHaveLength(1);
    expect((await client.readCi(runId)).body).toMatchObject({ status: "completed", gate: "fail" });
  });

  test("waits for results being judged, and accepts no more meanwhile", { tags: ["spec:ci.finalize"] }, async () => {
    const runId = await client.startRun({ passRateThreshold: 0.2 });
    const gate = createGate();
    judge.behave(async (body) => {
      await gate.opened;
      return rateOutput(body);
    });
    const submitting = client.answer(runId, 0, "9");
    await until(() => expect(judge.atWork()).toBe(1));
    const finalizing = client.finalizeCi(runId);
    await untilClosing(runId);
    expect((await client.answer(runId, 1, "9")).status).toBe(409);
    expect((await client.readCi(runId)).body).toMatchObject({ status: "in_progress", gate: null });
    gate.open();
    expect((await submitting).body).toMatchObject({ rating: 9, passed: true });
    expect((await finalizing).body).toMatchObject({ gate: "pass", results_submitted: 1 });
  });
});

describe("a CI run that expired", () => {
  test("accepts no more results and is shown as failed, before and after it is ended", {
    tags: ["spec:ci.get"],
  }, async () => {
    const sweeping = startSweeper();
    const runId = await client.startRun({ passRateThreshold: 0.2 });
    await client.answerInBulk(runId, [9, 9, 9, 9, 9]);
    await expire(runId);
    const check = async () => {
      expect((await client.readCi(runId)).body).toMatchObject({ status: "failed", gate: "fail", results_submitted: 5 });
      expect(await client.answer(runId, 0, "9")).toMatchObject(refusal(410, "Run expired"));
      expect(await client.finalizeCi(runId)).toMatchObject(refusal(410, "Run expired"));
    };

    await check();
    expect((await client.readRun(runId)).status).toBe("in_progress");
    expect(await client.listGates()).toEqual([]);
    await sweeping.sweep();
    await check();
    expect((await client.readRun(runId)).status).toBe("failed");
    expect(await client.listGates()).toMatchObject([
      {
        runId,
        caller: "ci-run",
        checks: [
          {
            check: "pass-rate",
            actual: 1,
            passed: false,
            detail: "The run expired before it was finalized; 5 of 5 questions passed.",
          },
        ],
      },
    ]);
    await sweeping.sweep();
    expect(await client.listGates()).toHaveLength(1);
  });

  test("is ended whatever becomes of a deleted project whose run expired before", async () => {
    const sweeping = startSweeper();
    const deleted = client;
    const gone = await deleted.startRun({}, {}, 1);
    client = createCiClient(running.address);
    const runId = await client.startRun({}, {}, 1);
    await expire(gone);
    await expire(runId);
    await database.query({
      name: "test_close_project",
      text: "insert into evals.deleted_projects (project_id, next_pass_at) values ($1, null)",
      values: [deleted.projectId],
    });

    await sweeping.sweep();

    expect((await client.readRun(runId)).status).toBe("failed");
  });

  test("is ended whatever becomes of a run that expired before and cannot be ended", async () => {
    const [unreadable, runId] = [await client.startRun({}, {}, 1), await client.startRun({}, {}, 1)];
    const store = createCiRunStore(system.open("app"));
    const sweeping = startSweeper({
      ...store,
      find: (projectId, id) => (id === unreadable ? Promise.reject(new Error("no answer")) : store.find(projectId, id)),
    });
    await expire(unreadable);
    await expire(runId);

    await expect(sweeping.sweep()).rejects.toThrow("no answer");

    expect((await client.readRun(runId)).status).toBe("failed");
  });

  test("while a result is judged is left to the next sweep, and one being finalized gets its verdict", async () => {
    const sweeping = startSweeper();
    const [judged, finalized] = [await client.startRun({}, {}, 1), await client.startRun({}, {}, 1)];
    const gate = createGate();
    judge.behave(async (body) => {
      await gate.opened;
      return rateOutput(body);
    });
    const submitting = [client.answer(judged, 0, "9"), client.answer(finalized, 0, "9")];
    await until(() => expect(judge.atWork()).toBe(2));
    const finalizing = client.finalizeCi(finalized);
    await untilClosing(finalized);
    await expire(judged);
    await expire(finalized);
    await sweeping.sweep();
    expect((await client.readRun(judged)).status).toBe("in_progress");
    gate.open();
    await Promise.all(submitting);
    expect(await finalizing).toMatchObject({ status: 200, body: { gate: "pass" } });
    await sweeping.sweep();
    expect((await client.readCi(judged)).body).toMatchObject({ status: "failed", gate: "fail", results_submitted: 1 });
    expect((await client.readRun(judged)).status).toBe("failed");
    expect((await client.readCi(finalized)).body).toMatchObject({ status: "completed", gate: "pass" });
  });
});

/** Waits until the run takes no more results; asking with one could find it open, and would then wait to be judged. */
async function untilClosing(runId: string): Promise<void> {
  const maintenance = system.open("maintenance");
  await until(async () => {
    const { rows } = await maintenance.query({
      name: "test_closing_as",
      text: `
        select closing_as
        from evals.runs
        where id = $1`,
      values: [runId],
    });
    expect(rows).toEqual([{ closing_as: expect.any(String) }]);
  });
}

/** The sweep as the service runs it, when the test says. */
function startSweeper(ciRuns = createCiRunStore(system.open("app"))): RegularSweep {
  const app = system.open("app");
  const sweeper = sweepExpiredCiRuns({
    database: app,
    maintenance: database,
    runs: createRunStore(app),
    results: createResultStore(app),
    ciRuns,
    batchMs: 10_000,
    clock: systemClock,
    signal: new AbortController().signal,
    logger: quiet,
  });
  system.cleanups.defer(() => sweeper.stop());
  return sweeper;
}
