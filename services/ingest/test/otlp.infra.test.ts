import { gzipSync } from "node:zlib";
import { sessionSpans, traceList } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { decodeTraceExport } from "../src/otlp/decode-trace-export.ts";
import { listCaptures, readCapture, readFixture } from "./otlp/corpus.ts";
import { type Reply, startIngest, useIngest } from "./running-ingest.ts";

const { database, ingest } = useIngest();

const contentTypes = { protobuf: "application/x-protobuf", json: "application/json" } as const;
const newProject = (): string => uuidv7(Date.now());

function send(
  body: Buffer | string,
  headers: Record<string, string> = {},
  { projectId = newProject(), path = "/v1/traces" } = {},
): Promise<Reply> {
  return ingest.call(projectId, "POST", `/api/v1/otel${path}`, { body, headers });
}

const protobuf = { "content-type": contentTypes.protobuf };
const traceId = (digit: string): string => digit.repeat(32);

function buildExport(spans: Record<string, unknown>[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

describe("a capture of a real producer", () => {
  const captures = listCaptures();

  test.for(captures.filter(({ signal }) => signal === "traces"))(
    "$name is accepted, its roots are listed and all its spans are read back",
    { tags: ["spec:otlp.receive"] },
    async (capture) => {
      const projectId = newProject();
      const body = readFixture(capture.file);
      const headers = {
        "content-type": contentTypes[capture.contentType],
        ...(capture.contentEncoding === undefined ? {} : { "content-encoding": capture.contentEncoding }),
      };
      const decoded = await decodeTraceExport({
        body: await readCapture(capture),
        contentType: capture.contentType,
        nowMs: Date.now(),
      });
      const reply = await send(body, headers, { projectId });
      const again = await send(body, headers, { projectId });

      expect([reply.status, again.status]).toEqual([200, 200]);
      expect(reply.headers.get("content-type")).toContain(contentTypes[capture.contentType]);
      const isRoot = (span: (typeof decoded.spans)[number]): boolean =>
        span.parentSpanId === null || span.parentIsRemote;
      const roots = decoded.spans.filter(isRoot);
      const page = traceList.parse((await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=100")).json);
      expect(page.totalCount).toBe(roots.length);
      expect(page.traces.map(({ spanId }) => spanId).toSorted()).toEqual(roots.map(({ spanId }) => spanId).toSorted());
      const traces = Map.groupBy(decoded.spans, (span) => span.otelTraceId ?? "");
      for (const [otelTraceId, spans] of traces) {
        const stored = await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${otelTraceId}/spans`);
        const ids = sessionSpans.parse(stored.json).spans.map(({ spanId }) => spanId);
        expect(ids.toSorted()).toEqual(spans.map(({ spanId }) => spanId).toSorted());
      }
    },
  );

  test.for(captures.filter(({ signal }) => signal !== "traces"))(
    "$name, of another signal, is accepted",
    async ({ file, signal, contentType, contentEncoding }) => {
      const headers = {
        "content-type": contentTypes[contentType],
        ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
      };
      const reply = await send(readFixture(file), headers, { path: `/v1/${signal}` });
      expect(reply.status).toBe(200);
    },
  );
});

describe("every synthetic case", () => {
  interface Case {
    file: string;
    contentType: string;
    contentEncoding?: string;
    expect: string;
  }
  const cases = JSON.parse(readFixture("_synthetic/manifest.json").toString()) as Case[];
  const statuses: Record<string, number> = {
    "36-not-json.json": 400,
    "37-json-array-root.json": 400,
    "38-json-null-root.json": 400,
    "40-truncated.bin": 400,
    "41-garbage.bin": 400,
    "42-json-body-as-protobuf.bin": 400,
    "50-gzip-truncated.bin.gz": 400,
    "52-unknown-encoding.bin": 415,
    "53-bomb-128MiB.bin.gz": 413,
  };

  test.for(cases)("$file: $expect", async ({ file, contentType, contentEncoding }) => {
    const projectId = newProject();
    const path = file.startsWith("44-") ? "/v1/logs" : "/v1/traces";
    const headers = {
      "content-type": contentType,
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
    };
    const reply = await send(readFixture(`_synthetic/${file}`), headers, { projectId, path });

    expect(reply.status).toBe(statuses[file] ?? 200);
    if (reply.status !== 200) expect(reply.json).toEqual({ statusCode: reply.status, message: expect.any(String) });
    const listed = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(traceList.safeParse(listed.json).success).toBe(true);
    if (reply.status !== 200) expect(listed.json.totalCount).toBe(0);
  });
});

describe("an export", () => {
  test("in protobuf is answered in protobuf, with no byte on full success", async () => {
    const reply = await send(readFixture("_synthetic/06-minimal.bin"), protobuf);
    expect([reply.status, reply.headers.get("content-type"), reply.bytes.length]).toEqual([
      200,
      "application/x-protobuf",
      0,
    ]);
  });

  test("to the base address is one of traces", async () => {
    const projectId = newProject();
    const reply = await send(readFixture("_synthetic/05-minimal.json"), {}, { projectId, path: "" });
    expect([reply.status, reply.text]).toEqual([200, "{}"]);
    expect((await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.totalCount).toBe(1);
  });

  test("with a bad span among good ones loses only that span", { tags: ["spec:otlp.partial-success"] }, async () => {
    const projectId = newProject();
    const spans = [
      { traceId: traceId("a"), spanId: "1".repeat(16), name: "good" },
      { traceId: "short", spanId: "2".repeat(16), name: "bad" },
    ];
    const reply = await send(buildExport(spans), {}, { projectId });

    expect(reply.json).toEqual({ partialSuccess: { rejectedSpans: "1", errorMessage: expect.any(String) } });
    const { traces } = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json;
    expect(traces.map((trace: { name: string }) => trace.name)).toEqual(["good"]);
  });

  test("of one span in two traces stores both, and the same once", async () => {
    const projectId = newProject();
    const spans = ["a", "b", "a"].map((digit) => ({ traceId: traceId(digit), spanId: "1".repeat(16), name: digit }));
    await send(buildExport(spans), {}, { projectId });
    await send(buildExport(spans), {}, { projectId });

    expect((await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.totalCount).toBe(2);
  });

  test("dates its traces by their start and names their session after the trace", async () => {
    const projectId = newProject();
    const span = {
      traceId: traceId("e"),
      spanId: "1".repeat(16),
      name: "x",
      startTimeUnixNano: "1763690000123456789",
      endTimeUnixNano: "1763690001123999999",
    };
    await send(buildExport([span]), {}, { projectId });

    expect((await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.traces[0]).toMatchObject({
      sessionId: traceId("e"),
      spanId: "1".repeat(16),
      createdAt: "2025-11-21T01:53:20.123Z",
      startedAt: "2025-11-21T01:53:20.123Z",
      latencyMs: 1000.543,
    });
  });

  test.each(["text/plain", "application/grpc", "application/x-www-form-urlencoded"])(
    "of type %j is 415",
    async (type) => {
      const reply = await send("x", { "content-type": type });
      expect([reply.status, reply.json]).toEqual([
        415,
        { statusCode: 415, message: expect.stringContaining("OTLP/HTTP requires Content-Type") },
      ]);
    },
  );

  test("in JSON of another charset is 415, in UTF-8 it is not", async () => {
    expect((await send("{}", { "content-type": "application/json; charset=latin1" })).status).toBe(415);
    expect((await send("{}", { "content-type": "Application/JSON; charset=UTF-8" })).status).toBe(200);
  });

  test("is refused to a collector in the protobuf it can read", async () => {
    const reply = await send("garbage", { ...protobuf, "user-agent": "OpenTelemetry Collector Contrib/0.130" });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([400, "application/x-protobuf"]);
    expect([...reply.bytes.subarray(0, 2)]).toEqual([0x08, 3]);
  });
});

describe("the bound on an export", () => {
  test("holds on the wire and inflated", async () => {
    const small = await startIngest({ databaseUrl: database.url, config: { otlpBodyMaxBytes: 10_000 } });
    await small.ready();
    const over = Buffer.alloc(10_001, 0x20);
    const path = "/api/v1/otel/v1/traces";
    const plain = await small.call(newProject(), "POST", path, { body: over });
    const bomb = await small.call(newProject(), "POST", path, {
      body: gzipSync(over),
      headers: { "content-encoding": "gzip" },
    });
    await small.stop();

    expect([plain.status, bomb.status]).toEqual([413, 413]);
    expect(plain.json).toEqual({ statusCode: 413, message: "request entity too large" });
  });

  test("is not a number of spans: one larger than the whole queue is stored whole", async () => {
    const small = await startIngest({ databaseUrl: database.url, config: { queueRowsMax: 100 } });
    await small.ready();
    const projectId = newProject();
    const spans = Array.from({ length: 2_500 }, (_, index) => ({
      traceId: traceId("c"),
      spanId: (index + 1).toString(16).padStart(16, "0"),
      name: `s${index}`,
      ...(index === 0 ? {} : { parentSpanId: "1".padStart(16, "0") }),
    }));
    const reply = await small.call(projectId, "POST", "/api/v1/otel/v1/traces", { body: buildExport(spans) });
    const stored = await small.call(projectId, "GET", `/api/v1/ingest/sessions/${traceId("c")}/spans`);
    await small.stop();

    expect([reply.status, reply.text]).toEqual([200, "{}"]);
    expect(stored.json.spans).toHaveLength(2_500);
  });
});

describe("an export that would hold everybody up", () => {
  const ids = (spanId: string) => ({ traceId: traceId("d"), spanId: spanId.padStart(16, "0"), name: `span ${spanId}` });
  const computed = async (): Promise<number> => {
    const { values } = (await ingest.metrics.getSingleMetric("service_compute_ended_total")?.get()) ?? { values: [] };
    return values.reduce((sum, { labels, value }) => sum + (labels.outcome === "ok" ? value : 0), 0);
  };

  test("one span of millions of empty attributes is rejected, and its neighbour is stored", async () => {
    const projectId = newProject();
    const hostile = JSON.stringify(ids("1")).replace(/}$/, `,"attributes":[${"{},".repeat(2_000_000)}{}]}`);
    const body = gzipSync(`{"resourceSpans":[{"scopeSpans":[{"spans":[${hostile},${JSON.stringify(ids("2"))}]}]}]}`);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const reply = await send(body, headers, { projectId });

    expect(body.length).toBeLessThan(20_000);
    expect([reply.status, reply.json.partialSuccess.rejectedSpans]).toEqual([200, "1"]);
    expect(reply.json.partialSuccess.errorMessage).toContain("1 of 2 spans rejected: 1x more than 1000000 values");
    const list = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(list.json.traces.map(({ name }: { name: string }) => name)).toEqual(["span 2"]);
  });

  test.each([
    ["sent", "/api/v1/otel/v1/traces", "application/json"],
    ["imported", "/api/v1/import/traces", "application/x-ndjson"],
  ])("a large span that is %s is decoded in a thread and stored", async (_how, path, contentType) => {
    const projectId = newProject();
    const value = { stringValue: "long ".repeat(100_000) };
    const body = buildExport([{ ...ids("3"), attributes: [{ key: "input.value", value }] }, ids("4")]);
    const before = await computed();
    const reply = await ingest.call(projectId, "POST", path, { body, headers: { "content-type": contentType } });
    expect(reply.status, reply.text).toBe(200);
    expect(await computed()).toBe(before + 1);
    const list = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(list.json.traces.map(({ input }: { input?: string }) => input?.length)).toEqual([undefined, 500_000]);
  });
});
