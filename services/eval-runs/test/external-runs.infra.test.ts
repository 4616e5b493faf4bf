import { randomUUID } from "node:crypto";
import { connectBus } from "@touchstone/bus";
import { experimentItemsRecorded, runList } from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { until } from "./conditions.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { replaceVersion } from "./replace-version.ts";
import { quiet } from "./start-eval-runs.ts";
import { useFakeIngest, useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);
const ingest = useFakeIngest(system);
const running = useService(system, { ingest });

beforeEach(async () => {
  judge.asked.length = 0;
  judge.behave(() => rate(8));
  client = createProjectClient(running.address);
  datasetId = await client.createDataset(buildDataset({ codeScorers: [{ name: "Length", code: "return 0.5" }] }));
});

const external = () => client.createRun(datasetId, { runSource: "external" });
const rescore = (runId: string, body?: object) => client.send("POST", `/runs/${runId}/rescore`, body);

describe("an external run", () => {
  test("stores results with their client's scores and asks no judge; rescoring judges them and keeps the scores", async () => {
    const runId = await external();
    const scores = [{ name: "Exact", score: 1, reasoning: "Equal." }];

    const answer = await client.submit(runId, [
      buildResult({ idempotencyKey: "a", codeScorerResults: scores }),
      buildResult({ idempotencyKey: "b", questionIndex: 1, error: { type: "Timeout", message: "no answer" } }),
    ]);

    expect(answer.body).toMatchObject({
      accepted: 2,
      scoredResults: [
        { status: "skipped", rating: null, codeScorerResults: scores },
        { status: "skipped", rating: null, codeScorerResults: null },
      ],
    });
    expect(judge.asked).toEqual([]);
    const before = await client.readRun(runId);
    expect(before).toMatchObject({
      averageRating: null,
      skips: [{ code: "scored_by_client", count: 2 }],
      metrics: [{ name: "Exact", average: 1, passed: 1 }],
    });
    for (const row of before.results) expect(row.justification).toBe("Not judged: scored by the client.");
    await client.finalize(runId);

    expect((await rescore(runId)).body).toMatchObject({ rescored: 2, stillSkipped: 0, averageRating: 4 });

    const after = await client.readRun(runId);
    expect(after.results).toMatchObject([
      { status: "scored", rating: 8, output: { text: "It arrives on Tuesday." } },
      { status: "failed", rating: 0, error: { type: "Timeout" } },
    ]);
    expect(after.results[0].codeScorerResults).toEqual([...scores, expect.objectContaining({ name: "Length" })]);
    expect(after.results.map((row: { _id: string }) => row._id)).toEqual(
      before.results.map((row: { _id: string }) => row._id),
    );
  });

  test("drops scores that are none; other runs do not read them", async () => {
    const runId = await external();
    const wrong = [[{ name: "Exact", score: 7 }], [{ score: 1 }], "Exact", [{ name: "", score: 1 }]];
    const results = wrong.map((codeScorerResults) => buildResult({ codeScorerResults: codeScorerResults as never }));

    expect((await client.submit(runId, results)).body).toMatchObject({ accepted: 0, failedValidation: 4 });
    const ordinary = await client.createRun(datasetId);
    expect((await client.submit(ordinary, results)).body).toMatchObject({ accepted: 4, failedValidation: 0 });
  });

  test("takes a result whose output comes with its trace; until then rescoring leaves it alone", async () => {
    const runId = await external();
    const [first, second] = [
      ingest.record(client.projectId, { output: null }),
      ingest.record(client.projectId, { output: null }),
    ];
    const awaiting = (traceId: string, questionIndex: number) => ({
      idempotencyKey: traceId,
      questionIndex,
      traceId,
      codeScorerResults: [{ name: "Exact", score: 0 }],
    });
    const sent = await client.submit(runId, [awaiting(first, 0), awaiting(second, 1), { idempotencyKey: "neither" }]);
    expect(sent.body).toMatchObject({ accepted: 2, failedValidation: 1 });
    expect((await rescore(runId)).body).toMatchObject({ rescored: 0, stillSkipped: 2 });
    expect((await client.readRun(runId)).skips).toEqual([{ code: "awaiting_output", count: 2 }]);

    ingest.complete(client.projectId, first, "Tuesday.\u0000");
    ingest.complete(client.projectId, second, "Yes.");

    const listed = await client.send("GET", `/runs/${runId}/results`);
    expect(listed.body.results).toMatchObject([
      { output: { text: "Tuesday.\u0000" }, skipCode: "scored_by_client", traceId: first },
      { output: { text: "Yes." }, codeScorerResults: [{ name: "Exact", score: 0 }] },
    ]);
    expect((await rescore(runId)).body).toMatchObject({ rescored: 2, averageRating: 8 });
    // Ordinary runs need an output at once.
    const ordinary = await client.createRun(datasetId);
    expect((await client.submit(ordinary, [awaiting(first, 0)])).body).toMatchObject({
      accepted: 0,
      failedValidation: 1,
    });
  });

  test("is shown without the outputs while ingest does not answer", async () => {
    const runId = await external();
    const traceId = ingest.record(client.projectId, {});
    await client.submit(runId, [{ idempotencyKey: "a", traceId }]);
    ingest.delayTraces(() => Promise.reject(new Error("away")));
    try {
      expect((await client.readRun(runId)).results).toMatchObject([{ output: null, skipCode: "awaiting_output" }]);
    } finally {
      ingest.delayTraces(async () => undefined);
    }
    expect((await client.readRun(runId)).results).toMatchObject([{ output: { text: "Tuesday." } }]);
  });

  test("is no baseline, no gate's newest run and no version of its dataset until a result is rated", async () => {
    const runId = await external();
    await client.submit(runId, [buildResult()]);
    await client.finalize(runId);
    const path = `/api/v1/evaluate/ci/gates/preview?datasetId=${datasetId}&failUnder=5`;
    expect((await client.sendTo("GET", path)).status).toBe(422);
    const comparison = `/api/v1/evaluate/datasets/${datasetId}/run-comparison`;
    expect((await client.sendTo("GET", comparison)).body).toMatchObject({ versions: [] });

    const pinned = await client.send("GET", `/runs/${runId}/gate?noRegression=true&baseline=${runId}`);
    expect(pinned).toMatchObject({ status: 400, body: { error: "The baseline has no rated result" } });

    await rescore(runId);

    expect((await client.sendTo("GET", path)).body).toMatchObject({ runId, passed: true });
    expect((await client.sendTo("GET", comparison)).body).toMatchObject({ versions: [{ latestRunId: runId }] });
    const later = await client.createRun(datasetId);
    await client.submit(later, [buildResult()]);
    const gated = await client.send("GET", `/runs/${later}/gate?noRegression=true`);
    expect(gated.body).toMatchObject({ baselineRunId: runId, baselineAverage: 8 });
  });

  test("says why a judge could not rate a result, and keeps the client's scores until one can", async () => {
    const runId = await external();
    const scores = [{ name: "Exact", score: 1 }];
    await client.submit(runId, [buildResult({ codeScorerResults: scores })]);
    const verdict = { judgeId: "primary", rating: null, reason: "no_key" as const, model: "fake", durationMs: 1 };
    for (const justification of ["There is no key.", "There is no key.", "The quota is used up."]) {
      judge.behave(() => ({ verdicts: [{ ...verdict, status: "skipped", justification }], similarity: {} }));
      expect((await rescore(runId)).body).toMatchObject({ rescored: 0, stillSkipped: 1, scoringRevision: 0 });
      const [row] = (await client.readRun(runId)).results;
      expect(row).toMatchObject({ skipCode: "no_key", justification, codeScorerResults: scores });
    }
    judge.behave(() => rate(8));
    expect((await rescore(runId)).body).toMatchObject({ rescored: 1, averageRating: 8 });
  });

  test("takes the graders that rescoring names; other runs take none", async () => {
    const made = await client.send("POST", "/evaluation-settings", { name: "Strict", acceptanceCriteria: "Is short." });
    const graders = { evaluationSettingsId: made.body._id };
    const runId = await external();
    await client.submit(runId, [buildResult()]);
    const unknown = await rescore(runId, { evaluationSettingsId: randomUUID() });
    expect(unknown).toMatchObject({ status: 404, body: { error: "Evaluation settings not found" } });
    const wrong = await rescore(runId, { additionalScorerIds: "x" });
    expect(wrong).toMatchObject({ status: 400, body: { error: "additionalScorerIds must be an array of strings" } });

    expect((await rescore(runId, graders)).body).toMatchObject({ rescored: 1 });

    expect(judge.asked.at(-1)).toMatchObject({ judges: [{ name: "Strict" }] });
    expect(await client.readRun(runId)).toMatchObject(graders);
    const ordinary = await client.createRun(datasetId);
    const refused = await rescore(ordinary, graders);
    expect(refused).toMatchObject({ status: 400, body: { error: "Only an external run takes other graders" } });
  });
});

describe("experiments that are known by their spans", () => {
  const runsOf = async (dataset: string) =>
    runList.parse((await client.send("GET", `/runs?datasetId=${dataset}`)).body).runs;

  /** Publishes items of experiments. */
  async function connectIngest() {
    const bus = connectBus({ url: system.nats.url, service: "ingest", logger: quiet });
    system.cleanups.defer(() => bus.drain());
    await until(() => expect(bus.status()).toBe("connected"));
    return async (of: { experimentId: string; dataset: string; runName: string; createdAt: string }) => {
      const { dataset, ...named } = of;
      const item = {
        ...{ projectId: client.projectId, ...named, description: null, metadata: null },
        ...{ caseId: `${dataset}:0`, otelTraceId: randomUUID().replaceAll("-", ""), otelSpanId: "0123456789abcdef" },
      };
      await bus.publish(experimentItemsRecorded, { items: [item] }, { messageId: randomUUID() });
    };
  }

  test("are four runs if there are two of one name over the same two datasets", async () => {
    const record = await connectIngest();
    const datasetIds = [datasetId, await client.createDataset(buildDataset())];

    // The first experiment is known in both datasets before the second one comes.
    for (const [index, experimentId] of ["one", "other"].entries()) {
      for (const dataset of datasetIds) {
        for (const items of [1, 2]) {
          await record({ experimentId, dataset, runName: "main", createdAt: "2026-01-05T00:00:00Z" });
          const expected = [...Array.from({ length: index }, () => 2), items];
          await until(async () => {
            const counts = (await runsOf(dataset)).map(({ resultCount }) => resultCount);
            expect(counts.toSorted()).toEqual(expected.toSorted());
          });
        }
      }
    }

    for (const dataset of datasetIds) {
      const names = (await runsOf(dataset)).map(({ evaluationSubject }) => evaluationSubject?.displayName);
      expect(names.toSorted()).toEqual(["main", "main (other)"]);
    }
  });

  test("keep an item whose version of the dataset is replaced before it was read", async () => {
    const record = await connectIngest();
    const item = { experimentId: "one", runName: "main", createdAt: "2026-01-05T00:00:00Z", dataset: datasetId };
    await replaceVersion(system, { projectId: client.projectId, datasetId, moment: "read" }, () => record(item));
    await until(async () => expect(await runsOf(datasetId)).toMatchObject([{ resultCount: 1, datasetVersion: 2 }]));
  });

  test("stay deleted when another span of them comes; the same experiment over another dataset is a run of its own", async () => {
    const record = await connectIngest();
    const other = await client.createDataset(buildDataset());
    const one = { experimentId: "one", runName: "main", createdAt: "2026-01-05T00:00:00Z" };
    await record({ ...one, dataset: datasetId });
    await until(async () => expect(await runsOf(datasetId)).toHaveLength(1));
    const [made] = await runsOf(datasetId);
    expect((await client.send("DELETE", `/runs/${made?._id}`)).status).toBe(200);

    await record({ ...one, dataset: datasetId });
    await record({ ...one, dataset: other });
    await record({ ...one, experimentId: "next", dataset: datasetId });

    await until(async () => {
      expect(await runsOf(other)).toHaveLength(1);
      expect(await runsOf(datasetId)).toHaveLength(1);
    });
    expect((await runsOf(datasetId))[0]?._id).not.toBe(made?._id);
  });

  test("are runs of the times of their items, in whatever order they come, and a time that cannot be is now", async () => {
    const record = await connectIngest();
    const before = Date.now();
    const times = ["2024-03-01T00:00:00Z", "2024-02-01T00:00:00Z", "1969-12-31T00:00:00Z", "2999-01-01T00:00:00Z"];
    for (const [index, createdAt] of times.entries()) {
      await record({ experimentId: createdAt, dataset: datasetId, runName: createdAt, createdAt });
      await until(async () => expect(await runsOf(datasetId)).toHaveLength(index + 1));
    }

    const runs = await runsOf(datasetId);

    const names = runs.map(({ evaluationSubject }) => evaluationSubject?.displayName);
    expect(names).toEqual([times[3], times[2], times[0], times[1]]);
    expect(runs.slice(2).map(({ createdAt }) => createdAt)).toEqual([
      "2024-03-01T00:00:00.000Z",
      "2024-02-01T00:00:00.000Z",
    ]);
    for (const { createdAt } of runs.slice(0, 2)) {
      expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    }
  });
});
