import { buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { createGate, until } from "./conditions.ts";
import { type JudgeReply, rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let runId: string;

const dataset = { name: "Orders", questions: [{ main_question: { query: "Where is my order?" } }] };

const system = useTestSystem();
const judge = useJudge(system);
const running = useService(system);

beforeEach(async () => {
  judge.behave(() => rate(7));
  judge.asked.length = 0;
  client = createProjectClient(running.address);
  runId = await client.createRun(await client.createDataset(dataset));
});

const output = (text: string) => ({ output: { text } });

describe("an idempotency key is judged and stored once", () => {
  test("sending a batch again echoes the stored results and calls no judge", {
    tags: ["spec:run.results.scoredResults", "spec:retry.results"],
  }, async () => {
    const results = [buildResult(output("one")), buildResult({ error: { type: "E", message: "m" } })];
    const first = await client.submit(runId, results, "first");
    judge.behave(() => rate(1));

    const changed = results.map((result) => ({ ...result, output: { text: "changed" }, error: null }));
    const again = await client.submit(runId, changed, "second");

    expect(again.body).toMatchObject({ batchId: "second", accepted: 0, duplicates: 2 });
    expect(again.body.scoredResults).toEqual(
      first.body.scoredResults.map((scored: object) => ({ ...scored, deduped: true })),
    );
    expect(judge.asked).toHaveLength(1);
    expect((await client.readRun(runId)).results.map((row: { batchId: string }) => row.batchId)).toEqual([
      "first",
      "first",
    ]);
  });

  test("of two results of one batch with one key the second is a duplicate of the first", async () => {
    const [one, two] = [buildResult({ ...output("one") }), buildResult({ ...output("two") })];
    judge.behave((body) => rate(body.case.output === "one" ? 1 : 2));

    const { body } = await client.submit(runId, [one, two, { ...one, output: { text: "other" } }, {}, two]);

    expect(body).toMatchObject({ accepted: 2, duplicates: 2, failedValidation: 1 });
    expect(
      body.scoredResults.map(({ rating, deduped }: { rating: number; deduped?: true }) => [rating, deduped]),
    ).toEqual([
      [1, undefined],
      [2, undefined],
      [1, true],
      [2, true],
    ]);
    expect(judge.asked).toHaveLength(2);
  });

  test("of fifty submissions that race one judges, and all are answered with its result", {
    tags: ["spec:run.results.race"],
  }, async () => {
    const result = buildResult();
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(9);
    });

    const racing = Array.from({ length: 50 }, () => client.submit(runId, [result]));
    await until(() => expect(judge.atWork()).toBe(1));
    gate.open();
    const answers = await Promise.all(racing);

    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(answers.filter((answer) => answer.body.accepted === 1)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.duplicates === 1)).toHaveLength(49);
    for (const { body } of answers) expect(body.scoredResults[0]).toMatchObject({ rating: 9, status: "scored" });
    expect(judge.asked).toHaveLength(1);
    expect((await client.readRun(runId)).resultCount).toBe(1);
  });

  test("batches that overlap in different orders all come through, with one row for each key", async () => {
    const results = Array.from({ length: 10 }, () => buildResult());
    const rotated = (by: number) => [...results.slice(by), ...results.slice(0, by)];

    const answers = await Promise.all(Array.from({ length: 20 }, (_, by) => client.submit(runId, rotated(by % 10))));

    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(10);
    expect(answers.reduce((sum, { body }) => sum + body.duplicates, 0)).toBe(190);
    expect(judge.asked).toHaveLength(10);
    expect((await client.readRun(runId)).resultCount).toBe(10);
  });

  test("the same key in another run and in another project is another result", async () => {
    const result = buildResult({ idempotencyKey: "shared" });
    const stranger = createProjectClient(running.address);
    const foreignRun = await stranger.createRun(await stranger.createDataset(dataset));
    const otherRun = await client.createRun((await client.readRun(runId)).datasetId);

    for (const [by, id] of [
      [client, runId],
      [client, otherRun],
      [stranger, foreignRun],
    ] as const) {
      expect((await by.submit(id, [result])).body).toMatchObject({ accepted: 1, duplicates: 0 });
    }
    expect(judge.asked.map((asked) => asked.projectId)).toEqual([
      client.projectId,
      client.projectId,
      stranger.projectId,
    ]);
  });
});

describe("the results of a batch", () => {
  test("are judged all at the same time", async () => {
    const all = createGate();
    judge.behave(async () => {
      if (judge.atWork() === 10) all.open();
      await all.opened;
      return rate(6);
    });

    const { body } = await client.submit(
      runId,
      Array.from({ length: 10 }, () => buildResult()),
    );

    expect(body).toMatchObject({ accepted: 10, liveStatistics: { averageRating: 6 } });
  });

  test("are stored as each is done, and answered as they were submitted", {
    tags: ["spec:run.state.in-progress.results"],
  }, async () => {
    const gate = createGate();
    judge.behave(async (body): Promise<JudgeReply> => {
      if (body.case.output === "slow") await gate.opened;
      return rate(body.case.output === "slow" ? 1 : 10);
    });
    const submitting = client.submit(runId, [buildResult(output("slow")), buildResult(output("quick"))]);

    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 1, averageRating: 10 }));
    gate.open();

    const { body } = await submitting;
    expect(body.scoredResults.map((scored: { rating: number }) => scored.rating)).toEqual([1, 10]);
  });

  test("are scored to the end when the caller has disconnected", async () => {
    const gate = createGate();
    judge.behave(async () => {
      await gate.opened;
      return rate(3);
    });
    const leaving = new AbortController();
    const results = [buildResult()];
    const left = client.submit(runId, results, "left", leaving.signal);
    await until(() => expect(judge.atWork()).toBe(1));
    leaving.abort();
    await expect(left).rejects.toThrow();
    gate.open();

    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 1, averageRating: 3 }));
    expect((await client.submit(runId, results)).body).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(judge.asked).toHaveLength(1);
  });
});
