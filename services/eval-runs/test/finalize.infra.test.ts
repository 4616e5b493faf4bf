import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGate, until } from "./conditions.ts";
import { rate } from "./fake-judge.ts";
import { useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);
const client = useProject(running);

beforeAll(async () => {
  datasetId = await client.createDataset(buildDataset());
});

beforeEach(() => {
  judge.behave(() => rate(7));
});

describe("finalizing a run", () => {
  test("completes it, once and for all", {
    tags: [
      "spec:run.finalize",
      "spec:run.status",
      "spec:run.state.completed.finalize",
      "spec:run.state.in-progress.finalize",
    ],
  }, async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult(), buildResult()]);

    const first = await client.finalize(runId);
    const again = await client.finalize(runId, { status: "failed" });

    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      runId,
      _id: runId,
      datasetId,
      status: "completed",
      resultCount: 2,
      averageRating: 7,
      liveStatistics: (await client.readRun(runId)).liveStatistics,
    });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await client.readRun(runId)).toMatchObject({ status: "completed" });
  });

  test("as failed stays failed, which is an ordinary answer", {
    tags: ["spec:run.state.failed.finalize", "spec:run.state.failed.cause"],
  }, async () => {
    const runId = await client.createRun(datasetId);

    expect((await client.finalize(runId, { status: "failed" })).body.status).toBe("failed");
    expect(await client.finalize(runId, { status: "completed" })).toMatchObject({
      status: 200,
      body: { status: "failed" },
    });
  });

  test.each([[{ status: "done" }], [{ status: 1 }]])("refuses %j", async (body) => {
    const runId = await client.createRun(datasetId);

    expect(await client.finalize(runId, body)).toMatchObject({
      status: 400,
      body: { error: 'status must be "completed" or "failed"' },
    });
    expect((await client.readRun(runId)).status).toBe("in_progress");
  });

  test("a terminal run takes no results", {
    tags: ["spec:run.state.terminal.results", "spec:run.results.409.terminal"],
  }, async () => {
    for (const status of ["completed", "failed"]) {
      const runId = await client.createRun(datasetId);
      const known = buildResult();
      await client.submit(runId, [known]);
      await client.finalize(runId, { status });
      const before = await client.readRun(runId);
      judge.asked.length = 0;

      // A new result, an existing one, both, and one that would be dropped.
      for (const results of [[buildResult()], [known], [known, buildResult()], [{}]]) {
        expect(await client.submit(runId, results)).toMatchObject({
          status: 409,
          body: { error: "Run is already in a terminal state" },
        });
      }
      expect(judge.asked).toEqual([]);
      expect(await client.readRun(runId)).toEqual(before);
    }
  });

  test("a run that took batches before takes none once it has ended, valid or not, and is not found once it is deleted", async () => {
    const runId = await client.createRun(datasetId);
    await client.submit(runId, [buildResult()]);
    await client.submit(runId, [buildResult()]);
    await client.finalize(runId);

    expect((await client.submit(runId, [buildResult()])).status).toBe(409);
    expect((await client.submit(runId, [{}])).status).toBe(409);
    expect((await client.send("DELETE", `/runs/${runId}`)).status).toBe(200);
    expect((await client.submit(runId, [buildResult()])).status).toBe(404);
    expect((await client.submit(runId, [{}])).status).toBe(404);
  });

  test("many finalizes at once agree on one end", async () => {
    const runId = await client.createRun(datasetId);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.finalize(runId, { status: index % 2 === 0 ? "completed" : "failed" }),
      ),
    );

    const statuses = new Set(answers.map((answer) => answer.body.status));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(statuses.size).toBe(1);
    expect(statuses).toContain((await client.readRun(runId)).status);
  });

  test("waits for results that are being judged, and takes no more meanwhile", async () => {
    const runId = await client.createRun(datasetId);
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(8);
    });
    const submitting = client.submit(runId, [buildResult(), buildResult()]);
    await until(() => expect(judge.atWork()).toBe(2));
    let isFinal = false;
    const finalizing = client.finalize(runId).then((answer) => {
      isFinal = true;
      return answer;
    });
    // A batch in which nothing is valid shows whether the run is open, and leaves nothing behind.
    await until(async () => expect((await client.submit(runId, [{}])).status).toBe(409));
    expect(await client.readRun(runId)).toMatchObject({ status: "in_progress", resultCount: 0 });
    expect(isFinal).toBe(false);

    gate.open();

    expect((await submitting).body).toMatchObject({ accepted: 2, liveStatistics: { averageRating: 8 } });
    expect((await finalizing).body).toMatchObject({ status: "completed", resultCount: 2, averageRating: 8 });
  });

  test("no result lands in a run that finalizes while batches race it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const runId = await client.createRun(datasetId);
      const submitting = Array.from({ length: 10 }, () => client.submit(runId, [buildResult(), buildResult()]));
      const finalized = await client.finalize(runId);
      const answers = await Promise.all(submitting);

      const accepted = answers.reduce((sum, answer) => sum + (answer.body.accepted ?? 0), 0);
      const run = await client.readRun(runId);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(run.status).toBe("completed");
      expect(run.resultCount).toBe(accepted);
      expect(finalized.body.resultCount).toBe(accepted);
    }
  });
});
