import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningIngest, startIngest } from "./running-ingest.ts";

let database: TestDatabase;
let ingest: RunningIngest;

beforeAll(async () => {
  database = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: database.url });
  await ingest.ready();
});

afterAll(async () => {
  await ingest?.stop();
  await database?.drop();
});

interface Outline {
  spanCount: number;
  truncated: boolean;
  spans: Record<string, unknown>[];
}

async function outlineOf(projectId: string, traceId: unknown): Promise<Outline> {
  const { status, json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traceId}/outline`);
  expect(status).toBe(200);
  return json as Outline;
}

async function submit(projectId: string, trace: object): Promise<unknown> {
  const { status, json } = await ingest.submit(projectId, trace);
  expect(status).toBe(201);
  return (json as { trace_id: string }).trace_id;
}

test("an outline has every span of a trace in the order of their starts, with what they took and cost but not what they said", async () => {
  const projectId = uuidv7(Date.now());
  const root = await submit(projectId, {
    name: "agent",
    spanId: "a",
    started_at: "2026-01-01T00:00:01.000Z",
    latency_ms: 900,
  });
  const late = {
    name: "late",
    spanId: "c",
    parent_span_id: "a",
    started_at: "2026-01-01T00:00:01.500Z",
    error: "Timeout",
  };
  await submit(projectId, { ...late, span_kind: "tool", latency_ms: 20 });
  await submit(projectId, {
    ...{ name: "call", spanId: "b", parent_span_id: "a", started_at: "2026-01-01T00:00:01.100Z", span_kind: "llm" },
    ...{
      model: "gemini-2.5-pro",
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      input: "a secret",
      output: "another",
    },
  });
  const outline = await outlineOf(projectId, root);
  expect(outline).toMatchObject({
    spanCount: 3,
    truncated: false,
    spans: [
      { _id: root, spanId: "a", parentSpanId: null, name: "agent", offsetMs: 0, latencyMs: 900, hasError: false },
      {
        name: "call",
        spanKind: "llm",
        parentSpanId: "a",
        offsetMs: 100,
        model: "gemini-2.5-pro",
        inputTokens: 1_000_000,
        costUSD: 2.25,
      },
      { name: "late", spanKind: "tool", offsetMs: 500, latencyMs: 20, hasError: true, costUSD: null, rating: null },
    ],
  });
  expect(JSON.stringify(outline)).not.toMatch(/secret|another|Timeout/);
});

test("the outline of a child is what is below it, and its own start is where time begins", async () => {
  const projectId = uuidv7(Date.now());
  await submit(projectId, { name: "agent", spanId: "a", started_at: "2026-01-01T00:00:00.000Z" });
  const middle = await submit(projectId, {
    name: "plan",
    spanId: "b",
    parent_span_id: "a",
    started_at: "2026-01-01T00:00:01.000Z",
  });
  await submit(projectId, { name: "early", spanId: "c", parent_span_id: "b", started_at: "2026-01-01T00:00:00.900Z" });
  const { spans } = await outlineOf(projectId, middle);
  expect(spans.map(({ name, offsetMs }) => [name, offsetMs])).toEqual([
    ["plan", 0],
    ["early", -100],
  ]);
});

test("the outline of another project's trace, and of one that is not there, is 404", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = await submit(projectId, { name: "agent" });
  for (const [project, id] of [
    [uuidv7(Date.now()), traceId],
    [projectId, uuidv7(Date.now())],
    [projectId, "nonsense"],
  ]) {
    const { status } = await ingest.call(String(project), "GET", `/api/v1/ingest/traces/${id}/outline`);
    expect(status).toBe(404);
  }
});
