import { Metadata } from "@grpc/grpc-js";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
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
let grpcPort: number;

interface Span {
  spanId: string;
  name: string;
  metadata: { otel: { parentSpanId?: string; resource: { "service.name": string }; attributes: object } };
}

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(() => ({ kind: "verdict", rating: 4, justification: "secret justification" }));
  receiver = await startCombined();
  grpcPort = await findFreePort();
  traced = await startCombined({
    settings: {
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      SERVICE_OTLP_GRPC_PORT: String(grpcPort),
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

/** The spans of the trace whose root has this name, once one of them has the name of the last step. */
async function readTrace(root: string, last: string): Promise<Span[]> {
  const reader = createClient(receiver);
  let spans: Span[] = [];
  await waitUntil(`the trace of ${root} is exported`, async () => {
    const { body } = await reader.send("GET", "/ingest/traces?limit=100");
    const found = (body as { traces: { name: string; sessionId: string }[] }).traces.find(({ name }) => name === root);
    if (found === undefined) return false;
    const answer = await reader.send("GET", `/ingest/sessions/${found.sessionId}/spans`);
    spans = (answer.body as { spans: Span[] }).spans;
    return spans.some(({ name }) => name === last);
  });
  return spans;
}

/** From a service's span up to the root, each with its service. */
function readAncestry(spans: readonly Span[], start: string): string[] {
  const titleOf = ({ name, metadata }: Span) => `${metadata.otel.resource["service.name"]}: ${name}`;
  const titles: string[] = [];
  let at = spans.find((span) => titleOf(span) === start);
  while (at !== undefined) {
    titles.push(titleOf(at));
    const parent = at.metadata.otel.parentSpanId;
    at = spans.find(({ spanId }) => spanId === parent);
  }
  return titles;
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

  const spans = await readTrace("submitResults", "svc.judge.score-result.v1");

  expect(readAncestry(spans, "judge: svc.judge.score-result.v1")).toEqual([
    "judge: svc.judge.score-result.v1",
    "eval-runs: svc.judge.score-result.v1",
    "eval-runs: submitResults",
    "gateway: POST eval-runs",
    "gateway: submitResults",
  ]);
  const statements = spans.filter(({ metadata }) => "db.system.name" in metadata.otel.attributes);
  expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(["run_lock_open", "verdict_records_keep"]));
  expect(JSON.stringify(spans)).not.toMatch(/secret|sk-scripted|tsk_/);
});

test("an export over gRPC that ingest cannot store is a failed span, as one over HTTP is", async () => {
  const spans = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  provider.getTracer("shop").startSpan("order").end();
  await provider.forceFlush();
  const metadata = new Metadata();
  metadata.set("x-api-key", traced.apiKey);
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${grpcPort}`, metadata, timeoutMillis: 1_000 });
  await client.send("GET", "/ingest/traces");

  await traced.withoutDatabase(async () => {
    await new Promise((resolve) => exporter.export(spans.getFinishedSpans(), resolve));
    await client.send("POST", "/ingest/traces", { name: "order" });
  });
  await exporter.shutdown();

  for (const name of ["receiveTraces", "submitTrace"]) {
    await waitUntil(`the trace of ${name} is exported as failed`, async () => {
      const { body } = await createClient(receiver).send("GET", "/ingest/traces?hasError=true&limit=100");
      return (body as { traces: { name: string }[] }).traces.some((trace) => trace.name === name);
    });
  }
});

test("an installation whose traces cannot be exported serves as usual, and logs it without the key", async ({
  onTestFinished,
}) => {
  const lonely = await startCombined({
    settings: {
      SERVICE_TRACING_OTLP_ENDPOINT: `http://127.0.0.1:${await findFreePort()}`,
      SERVICE_TRACING_OTLP_HEADERS: "x-api-key=tsk_hidden",
      SERVICE_LOG_LEVEL: "warn",
    },
  });
  onTestFinished(() => lonely.stop());

  const answer = await createClient(lonely).send("POST", "/ingest/traces", { name: "served" });

  expect(answer.status).toBe(201);
  await waitUntil("the failed export is logged", async () =>
    lonely.log().includes("spans of this installation could not be exported"),
  );
  expect(lonely.log()).not.toContain("tsk_hidden");
});
