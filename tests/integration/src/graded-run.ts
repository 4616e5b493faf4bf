import {
  createRunReply,
  dataset,
  finalizeRunReply,
  run,
  submitResultsReply,
  traceDetail,
  traceList,
} from "@touchstone/contracts";
import { buildDataset, buildResult, type ResultBody } from "@touchstone/testkit";
import type { ApiClient } from "./client.ts";

const evaluations = "/custom-agent-evaluations";

/** Creates a dataset with similarity metrics and a run of it; returns the id of the run. */
export async function createRun(client: ApiClient): Promise<string> {
  const made = await client.expect(
    { status: 201, schema: dataset },
    "POST",
    `${evaluations}/datasets`,
    buildDataset({
      jaccardSimilarity: { enabled: true },
      bleuScore: { enabled: true },
      rougeScore: { enabled: true },
    }),
  );
  const { runId } = await client.expect({ status: 201, schema: createRunReply }, "POST", `${evaluations}/runs`, {
    datasetId: made._id,
    evaluationSubject: { kind: "custom_agent", displayName: "support-agent" },
  });
  return runId;
}

/** Submits a batch of results; it must be answered 200. */
export const submitResults = (client: ApiClient, runId: string, batchId: string, results: unknown[]) =>
  client.expect({ status: 200, schema: submitResultsReply }, "POST", `${evaluations}/runs/${runId}/results`, {
    batchId,
    results,
  });

/** Ordinary results of a run, numbered from `start`. */
export const buildResults = (runId: string, count: number, start = 0): ResultBody[] =>
  Array.from({ length: count }, (_, index) =>
    buildResult({
      idempotencyKey: `${runId}:case-${(start + index) % 2}:run-${start + index}`,
      questionIndex: (start + index) % 2,
      runNumber: start + index + 1,
    }),
  );

/**
 * Sends a recorded export to an empty project, reads its trace, and grades a run: 14 results, of which one failed and one
 * names the trace, and one without a key, which is refused. Returns the answers.
 */
export async function gradeTracedRun(client: ApiClient) {
  await client.sendCapture("vercel-ai-v7-genai/01.traces.bin");
  const list = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  const [listed] = list.traces;
  const detail = await client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${listed?._id}`);
  const runId = await createRun(client);
  const first = await submitResults(client, runId, "batch-1", buildResults(runId, 10));
  const second = await submitResults(client, runId, "batch-2", [
    ...buildResults(runId, 2, 10),
    buildResult({ idempotencyKey: `${runId}:failed`, error: { type: "Timeout", message: "no answer" } }),
    buildResult({ idempotencyKey: `${runId}:traced`, runNumber: 20, traceId: listed?._id }),
    { questionIndex: 0, output: { text: "no key" } },
  ]);
  const finalized = await client.expect(
    { status: 200, schema: finalizeRunReply },
    "POST",
    `${evaluations}/runs/${runId}/finalize`,
    { status: "completed" },
  );
  const graded = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`);
  return { list, listed, detail, runId, first, second, finalized, graded };
}
