import { uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

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

test("an outline has every span of a trace in start order, with durations and costs but without texts", async () => {
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
      { name: "late", spanKind: "tool", offsetMs: 500, latencyMs: 20, hasError: true },
    ],
  });
  // Unknown values are omitted.
  for (const member of ["model", "costUSD", "rating"]) expect(outline.spans[2]).not.toHaveProperty(member);
  expect(JSON.stringify(outline)).not.toMatch(/secret|another|Timeout/);
});

test("the outline of a child is the tree below it, and time begins at its own start", async () => {
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

test("the outline of another project's trace, and of a missing one, is 404", async () => {
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

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

const secondNano = 1_000_000_000n;
const startNano = 1_767_225_600n * secondNano;

function otlpSpan(
  traceId: string,
  spanId: string,
  name: string,
  fromMs: number,
  toMs: number,
  parent?: string,
): OtlpSpan {
  const at = (ms: number): string => String(startNano + BigInt(ms * 1_000_000));
  const times = { startTimeUnixNano: at(fromMs), endTimeUnixNano: at(toMs) };
  return { traceId, spanId, name, ...times, ...(parent !== undefined && { parentSpanId: parent }) };
}

async function exportSpans(projectId: string, spans: readonly OtlpSpan[]): Promise<void> {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
}

async function newestRoot(projectId: string): Promise<string> {
  return (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.traces[0]._id;
}

test("the outline of an OpenTelemetry trace has all of it, whichever span is asked for, times counted from that span", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = "5b8aa5a2d2c872e8321cf37308d69df2";
  await exportSpans(projectId, [
    otlpSpan(traceId, "00f067aa0ba902b9", "tool", 400, 600, "00f067aa0ba902b8"),
    otlpSpan(traceId, "00f067aa0ba902b7", "agent", 0, 1_000),
    otlpSpan(traceId, "00f067aa0ba902b8", "chat", 100, 300, "00f067aa0ba902b7"),
  ]);
  const whole = await outlineOf(projectId, await newestRoot(projectId));
  expect(whole).toMatchObject({ spanCount: 3, truncated: false });
  expect(whole.spans.map(({ name, offsetMs, parentSpanId }) => [name, offsetMs, parentSpanId])).toEqual([
    ["agent", 0, null],
    ["chat", 100, "00f067aa0ba902b7"],
    ["tool", 400, "00f067aa0ba902b8"],
  ]);
  const ofChat = await outlineOf(projectId, whole.spans[1]?._id);
  expect(ofChat.spans.map(({ name, offsetMs }) => [name, offsetMs])).toEqual([
    ["chat", 0],
    ["agent", -100],
    ["tool", 300],
  ]);
});

const attributes = (values: Record<string, string | number>) => ({
  attributes: Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: `${value}` } : { stringValue: value },
  })),
});

test("the outline does not price a root by a model that is not its own, and shows that model", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = "5b8aa5a2d2c872e8321cf37308d69df5";
  const usage = { "gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 100_000 };
  const call = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5.6-sol", ...usage };
  await exportSpans(projectId, [
    { ...otlpSpan(traceId, "00f067aa0ba902e1", "agent", 0, 1_000), ...attributes(usage) },
    { ...otlpSpan(traceId, "00f067aa0ba902e2", "chat", 100, 300, "00f067aa0ba902e1"), ...attributes(call) },
  ]);
  const [root, chat] = (await outlineOf(projectId, await newestRoot(projectId))).spans;
  expect(root).toMatchObject({ name: "agent", model: "gpt-5.6-sol", inputTokens: 1_000_000 });
  expect(root).not.toHaveProperty("costUSD");
  expect(chat).toMatchObject({ model: "gpt-5.6-sol", costUSD: 8 });
});

test("the outline prices an embedding, which has no output", async () => {
  const projectId = uuidv7(Date.now());
  const embedding = { name: "embed", span_kind: "embedding", input_tokens: 1_000_000, model: "gpt-5.6-terra" };
  const traceId = await submit(projectId, embedding);
  const { estimatedCostUSD } = (await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traceId}`)).json;
  expect(estimatedCostUSD).toBeGreaterThan(0);
  expect((await outlineOf(projectId, traceId)).spans).toMatchObject([{ costUSD: estimatedCostUSD }]);
});

test("spans whose parent was never sent, and circles of parents, are in the outline with the parents they name", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = "5b8aa5a2d2c872e8321cf37308d69df3";
  await exportSpans(projectId, [
    otlpSpan(traceId, "00f067aa0ba902c1", "agent", 0, 1_000),
    otlpSpan(traceId, "00f067aa0ba902c2", "orphan", 100, 200, "00f067aa0ba902cf"),
    otlpSpan(traceId, "00f067aa0ba902c3", "left", 200, 300, "00f067aa0ba902c4"),
    otlpSpan(traceId, "00f067aa0ba902c4", "right", 300, 400, "00f067aa0ba902c3"),
  ]);
  const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
  const agent = json.traces.find(({ name }: { name: string }) => name === "agent");
  const { spans } = await outlineOf(projectId, agent._id);
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ["agent", null],
    ["orphan", "00f067aa0ba902cf"],
    ["left", "00f067aa0ba902c4"],
    ["right", "00f067aa0ba902c3"],
  ]);
});

test("children of another project that name the same parent are not in the outline", async () => {
  const [own, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
  const traceId = await submit(own, { name: "agent", spanId: "shared" });
  await submit(own, { name: "own child", spanId: "child", parent_span_id: "shared" });
  await submit(other, { name: "foreign child", spanId: "child", parent_span_id: "shared" });
  expect((await outlineOf(own, traceId)).spans.map(({ name }) => name)).toEqual(["agent", "own child"]);

  const otelId = "5b8aa5a2d2c872e8321cf37308d69df4";
  await exportSpans(own, [otlpSpan(otelId, "00f067aa0ba902d1", "own root", 0, 10)]);
  await exportSpans(other, [
    otlpSpan(otelId, "00f067aa0ba902d2", "foreign child of the same trace", 1, 5, "00f067aa0ba902d1"),
  ]);
  const { json } = await ingest.call(own, "GET", "/api/v1/ingest/traces?search=own%20root");
  const { spans, spanCount } = await outlineOf(own, json.traces[0]._id);
  expect([spanCount, spans.map(({ name }) => name)]).toEqual([1, ["own root"]]);
});

test("an outline of REST spans ends 100 levels below and reports it", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = await submit(projectId, { name: "level 0", spanId: "s0" });
  const goTo = async (level: number): Promise<unknown> =>
    submit(projectId, { name: `level ${level}`, spanId: `s${level}`, parent_span_id: `s${level - 1}` });
  for (let level = 1; level <= 100; level++) await goTo(level);
  expect(await outlineOf(projectId, traceId)).toMatchObject({ spanCount: 101, truncated: false });
  await goTo(101);
  expect(await outlineOf(projectId, traceId)).toMatchObject({ spanCount: 101, truncated: true });
});
