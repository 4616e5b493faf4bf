import { Metadata } from "@grpc/grpc-js";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { traceList } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { answersTo, fillQueue } from "../src/full-queue.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

let system: CombinedSystem;
let client: ApiClient;
let ports: { http: number; grpc: number };
/** The exporters' messages to an application's operator. */
let told: string[] = [];

beforeAll(async () => {
  ports = { http: await findFreePort(), grpc: await findFreePort() };
  system = await startCombined({
    settings: {
      SERVICE_OTLP_HTTP_PORT: String(ports.http),
      SERVICE_OTLP_GRPC_PORT: String(ports.grpc),
      SERVICE_OTLP_MAX_BODY_BYTES: "200000",
      SERVICE_INGEST_QUEUE_MAX: "5",
      SERVICE_LOG_LEVEL: "info",
    },
  });
  client = createClient(system);
  const tell = (...words: unknown[]): number => told.push(words.map(String).join(" "));
  diag.setLogger(
    { error: tell, warn: tell, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
});

afterEach(() => {
  told = [];
});

afterAll(async () => {
  diag.disable();
  await system?.stop();
});

type Spans = ReadableSpan[];

/** Spans as an instrumented application creates them. */
async function record(name: string, attributes: Record<string, string> = {}): Promise<Spans> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "shop" }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const all = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, ...attributes };
  provider.getTracer("shop").startSpan(name, { attributes: all }).end();
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  await provider.shutdown();
  return spans;
}

/** A span of a trace whose id is all zeros: ingest accepts the others of its export. */
function withoutTraceId([span]: Spans): ReadableSpan {
  const context = { ...(span as ReadableSpan).spanContext(), traceId: "0".repeat(32), spanId: "00000000000000a1" };
  return Object.assign(Object.create(span as ReadableSpan), { spanContext: () => context });
}

interface Exporter {
  export(spans: Spans, done: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

/** Exports and returns the result: 0 is success. */
async function send(exporter: Exporter, spans: Spans): Promise<{ code: number; error?: Error }> {
  const result = await new Promise<{ code: number; error?: Error }>((resolve) => exporter.export(spans, resolve));
  await exporter.shutdown();
  return result;
}

const headers = () => ({ "x-api-key": system.apiKey });
const overHttp = {
  protobuf: (url: string): Exporter => new ProtobufExporter({ url, headers: headers() }) as unknown as Exporter,
  JSON: (url: string): Exporter => new JsonExporter({ url, headers: headers() }) as unknown as Exporter,
};
const encodings = ["protobuf", "JSON"] as const;

async function listNames(): Promise<unknown[]> {
  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=100");
  return traces.map(({ name }) => name);
}

test.each(encodings)("the %s exporter accepts 200, on the API's path and on the standard one", async (encoding) => {
  for (const url of [`${system.url}/api/v1/otel/v1/traces`, `http://127.0.0.1:${ports.http}/v1/traces`]) {
    const name = `${encoding} to ${new URL(url).port}`;

    expect(await send(overHttp[encoding](url), await record(name))).toMatchObject({ code: 0 });

    expect(await listNames()).toContain(name);
  }
  expect(told).toEqual([]);
});

test.each(encodings)("the %s exporter warns once of a partial success, and the rest is stored", async (encoding) => {
  const name = `partly ${encoding}`;
  const spans = [...(await record(name)), withoutTraceId(await record("lost"))];

  const result = await send(overHttp[encoding](`${system.url}/api/v1/otel/v1/traces`), spans);

  expect(result.code).toBe(0);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("1 of 2 spans rejected");
  expect(await listNames()).toContain(name);
});

test.each(encodings)("the %s exporter gives up on a body that is too large", async (encoding) => {
  const spans = await record("large", { text: "x".repeat(300_000) });

  const result = await send(overHttp[encoding](`${system.url}/api/v1/otel/v1/traces`), spans);

  expect(result).toMatchObject({ code: 1, error: { code: 413 } });
  expect(await listNames()).not.toContain("large");
});

/** The gateway's statuses for exports so far, without the one that was too large: it may be logged after its answer is read. */
const answeredExports = () => answersTo(system, "receiveTraces").filter((status) => status !== 413);

test("a full queue is 429 with Retry-After 1: the exporter retries once and succeeds", async () => {
  const before = answeredExports().length;
  await using queue = await fillQueue(system, client);
  const sending = send(overHttp.protobuf(`${system.url}/api/v1/otel/v1/traces`), await record("patient"));
  await waitUntil("the export was refused", async () => answeredExports()[before] === 429);
  await queue.release();

  expect(await sending).toMatchObject({ code: 0 });

  await waitUntil("the log has both attempts", async () => answeredExports().length === before + 2);
  expect(answeredExports().slice(before)).toEqual([429, 200]);
  expect(await listNames()).toContain("patient");
});

test("an unavailable store is 503 with Retry-After 2: the exporter retries once and succeeds", async () => {
  const before = answeredExports().length;
  let sending: ReturnType<typeof send> | undefined;
  const spans = await record("very patient");
  await system.withoutDatabase(async () => {
    sending = send(overHttp.JSON(`${system.url}/api/v1/otel/v1/traces`), spans);
    await waitUntil("the export was refused", async () => answeredExports()[before] === 503);
  });

  expect(await sending).toMatchObject({ code: 0 });
  await waitUntil("the log has both attempts", async () => answeredExports().length === before + 2);
  expect(answeredExports().slice(before)).toEqual([503, 200]);
  expect(await listNames()).toContain("very patient");
});

test("the gRPC exporter succeeds, and receives the rejected spans", async () => {
  const metadata = new Metadata();
  metadata.set("x-api-key", system.apiKey);
  const exporter = (): Exporter =>
    new GrpcExporter({ url: `http://127.0.0.1:${ports.grpc}`, metadata }) as unknown as Exporter;

  expect(await send(exporter(), await record("over gRPC"))).toMatchObject({ code: 0 });
  expect(told).toEqual([]);
  expect(await listNames()).toContain("over gRPC");

  const spans = [...(await record("partly over gRPC")), withoutTraceId(await record("lost"))];
  expect(await send(exporter(), spans)).toMatchObject({ code: 0 });
  expect(told.join()).toContain("1 of 2 spans rejected");
});
