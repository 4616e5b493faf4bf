import { createRunReply, dataset, submitResultsReply } from "@touchstone/contracts";
import { buildDataset, buildResult, findFreePort, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** One Touchstone traces its own requests, and sends the traces to another one. */
let llm: ScriptedLlm;
let receiver: CombinedSystem;
let traced: CombinedSystem;
let client: ApiClient;

interface Span {
  span_id: string;
  parent_span_id: string | null;
  session_id: string;
  name: string;
  attributes: Record<string, unknown>;
}

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(() => ({ kind: "verdict", rating: 4, justification: "secret justification" }));
  receiver = await startCombined();
  traced = await startCombined({
    settings: {
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      SERVICE_TRACING_OTLP_ENDPOINT: `${receiver.url}/api/v1/otel`,
      SERVICE_TRACING_OTLP_HEADERS: `x-api-key=${receiver.apiKey}`,
    },
  });
  client = createClient(traced);
});

afterAll(async () => {
  await traced?.stop();
  await receiver?.stop();
  await llm?.stop();
});

/** The spans of the trace whose root has this name, once it has them all. */
async function readTrace(root: string, expected: readonly string[]): Promise<Span[]> {
  const reader = createClient(receiver);
  let spans: Span[] = [];
  await waitUntil(`the trace of ${root} is exported`, async () => {
    const { body } = await reader.send("GET", "/ingest/traces?limit=100");
    const found = (body as { traces: { name: string; session_id: string }[] }).traces.find(({ name }) => name === root);
    if (found === undefined) return false;
    const answer = await reader.send("GET", `/ingest/sessions/${found.session_id}/spans`);
    spans = (answer.body as { spans: Span[] }).spans;
    const names = spans.map(({ name }) => name);
    return expected.every((name) => names.includes(name));
  }).catch((cause) => {
    throw new Error(`It has: ${JSON.stringify(spans)}`, { cause });
  });
  return spans;
}

/** From a span up to its root. */
function ancestry(spans: readonly Span[], name: string): string[] {
  const names: string[] = [];
  let at = spans.findLast((span) => span.name === name);
  while (at !== undefined) {
    names.push(at.name);
    const parent: string | null = at.parent_span_id;
    at = spans.find(({ span_id }) => span_id === parent);
  }
  return names;
}

test("a request is one trace across the gateway, its service, NATS, the judge and the database", async () => {
  const { _id: datasetId } = await client.expect(
    { status: 201, schema: dataset },
    "POST",
    "/custom-agent-evaluations/datasets",
    buildDataset(),
  );
  const runs = "/custom-agent-evaluations/runs";
  const { runId } = await client.expect({ status: 201, schema: createRunReply }, "POST", runs, { datasetId });
  await client.expect({ status: 200, schema: submitResultsReply }, "POST", `${runs}/${runId}/results`, {
    batchId: "batch",
    results: [buildResult({ output: { text: "secret answer" } })],
  });

  const spans = await readTrace("submitResults", ["svc.judge.score-result.v1", "claim_results"]);

  expect(ancestry(spans, "svc.judge.score-result.v1")).toEqual([]);
  expect(JSON.stringify(spans)).not.toMatch(/secret|sk-scripted|tsk_live/);
});

test("an installation whose traces cannot be exported serves as usual, and logs it without the key", async ({
  onTestFinished,
}) => {
  const lonely = await startCombined({
    settings: {
      SERVICE_TRACING_OTLP_ENDPOINT: `http://127.0.0.1:${await findFreePort()}`,
      SERVICE_TRACING_OTLP_HEADERS: "x-api-key=tsk_live_hidden",
      SERVICE_LOG_LEVEL: "warn",
    },
  });
  onTestFinished(() => lonely.stop());

  const answer = await createClient(lonely).send("POST", "/ingest/traces", { name: "served" });

  expect(answer.status).toBe(201);
  await waitUntil("the failed export is logged", async () =>
    lonely.log().includes("spans of this installation could not be exported"),
  );
  expect(lonely.log()).not.toContain("tsk_live_hidden");
});
