import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let runId: string;

const system = useTestSystem();
useJudge(system);
const running = useService(system);

beforeEach(async () => {
  client = createProjectClient(running.address);
  runId = await client.createRun(await client.createDataset(buildDataset()));
});

describe("a batch is refused as a whole", {
  tags: [
    "spec:run.results.400.batchId",
    "spec:run.results.400.results",
    "spec:run.results.400.size",
    "spec:run.results.400.entry",
    "spec:run.results.batchId",
    "spec:run.results.results",
    "spec:limit.batch",
  ],
}, () => {
  test.each([
    [{ results: [buildResult()] }, "batchId must be a non-empty string"],
    [{ batchId: "", results: [] }, "batchId must be a non-empty string"],
    [{ batchId: 1, results: [buildResult()] }, "batchId must be a non-empty string"],
    [[], "batchId must be a non-empty string"],
    [{ batchId: "b" }, "results must be a non-empty array"],
    [{ batchId: "b", results: [] }, "results must be a non-empty array"],
    [{ batchId: "b", results: {} }, "results must be a non-empty array"],
    [{ batchId: "b", results: Array(11).fill(null) }, "Batch size must not exceed 10"],
    [{ batchId: "b", results: [buildResult(), null] }, "Every results entry must be an object"],
    [{ batchId: "b", results: [buildResult(), []] }, "Every results entry must be an object"],
    [{ batchId: "b", results: ["text"] }, "Every results entry must be an object"],
  ])("%j: %s", async (body, error) => {
    expect(await client.send("POST", `/runs/${runId}/results`, body)).toMatchObject({ status: 400, body: { error } });
    expect((await client.readRun(runId)).resultCount).toBe(0);
  });

  test("before its run is looked up", async () => {
    expect((await client.send("POST", "/runs/nowhere/results", { batchId: "" })).status).toBe(400);
    await client.finalize(runId);
    expect((await client.submit(runId, [])).status).toBe(400);
  });
});

describe("a result that is not valid is dropped and counted", {
  tags: [
    "spec:run.results.idempotencyKey",
    "spec:run.results.output",
    "spec:run.results.timings",
    "spec:run.results.failedValidation",
  ],
}, () => {
  test.each([
    ["no idempotency key", { idempotencyKey: undefined }],
    ["an empty key", { idempotencyKey: "" }],
    ["neither output nor error", { output: undefined }],
    ["an output without text", { output: {} }],
    ["an output that is no object", { output: "a" }],
    ["a question index that is no integer", { questionIndex: 0.5 }],
    ["a question index that is a text", { questionIndex: "0" }],
    ["a run number beyond the integers", { runNumber: 1e300 }],
    ["timings that are no numbers", { timings: { latencyMs: "12" } }],
    ["an error that is no object", { error: "boom" }],
    ["a trace id that is no text", { traceId: 5 }],
  ])("%s", async (_what, broken) => {
    const { status, body } = await client.submit(runId, [{ ...buildResult(), ...broken }, buildResult()]);

    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, duplicates: 0, failedValidation: 1, status: "in_progress" });
    expect(body.scoredResults).toHaveLength(1);
    expect((await client.readRun(runId)).resultCount).toBe(1);
  });

  test("a timing that is not finite", async () => {
    const text = `{"batchId":"b","results":[{"idempotencyKey":"k","output":{"text":"a"},"timings":{"latencyMs":1e400}}]}`;
    const { body } = await client.send("POST", `/runs/${runId}/results`, text);
    expect(body).toMatchObject({ accepted: 0, failedValidation: 1, scoredResults: [] });
  });
});
