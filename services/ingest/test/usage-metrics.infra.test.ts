import { costTrend, internalRoutes, metrics } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { buildLogs } from "./otlp/build-logs.ts";
import { useIngest, useMonitor } from "./running-ingest.ts";

/** Ten minutes into an hour, so that what began half an hour ago is of the hour before. */
const now = Date.UTC(2026, 10, 18, 12, 10);
const clock = { now: () => now };
const { ingest } = useIngest({ clock });
const monitor = useMonitor(ingest, clock);

const newProject = (): string => uuidv7(now);

async function read<Schema extends typeof metrics | typeof costTrend>(
  schema: Schema,
  projectId: string,
  query = "",
): Promise<ReturnType<Schema["parse"]>> {
  const path = `/api/v1/agent-monitoring/${schema === metrics ? "metrics" : "cost-trend"}?${query}`;
  const reply = await ingest.call(projectId, "GET", path);
  expect(reply.status).toBe(200);
  return schema.strict().parse(reply.json) as ReturnType<Schema["parse"]>;
}

async function submit(projectId: string, span: object): Promise<string> {
  const { status, json } = await ingest.submit(projectId, { name: "x", ...span });
  expect(status).toBe(201);
  return json.trace_id;
}

/** A span that took a second, half an hour ago. */
function span(
  spanId: string,
  parentSpanId: string | undefined,
  operation: string,
  more: Record<string, unknown>,
): Record<string, unknown> {
  return {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: `00f067aa0ba902b${spanId}`,
    ...(parentSpanId !== undefined && { parentSpanId: `00f067aa0ba902b${parentSpanId}` }),
    name: operation,
    startTimeUnixNano: `${now - 1_800_000}000000`,
    endTimeUnixNano: `${now - 1_799_000}000000`,
    attributes: Object.entries({ "gen_ai.operation.name": operation, ...more }).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: `${value}` } : { stringValue: value },
    })),
  };
}

const usage = (model: string | null, input: number, output: number) => ({
  ...(model !== null && { "gen_ai.request.model": model }),
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
});

async function exportSpans(projectId: string, spans: readonly object[]): Promise<void> {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
}

/**
 * One OpenTelemetry trace of an agent that repeats the usage of its two calls, with one call of a tool reported twice.
 */
async function exportTrace(projectId: string): Promise<void> {
  const tool = { "gen_ai.tool.name": "search" };
  await exportSpans(projectId, [
    span("0", undefined, "invoke_agent", {
      "gen_ai.agent.name": "planner",
      ...usage("gpt-5.6-sol", 2_000_000, 200_000),
    }),
    span("1", "0", "chat", usage("gpt-5.6-sol", 1_000_000, 100_000)),
    span("2", "0", "chat", usage("gpt-5.6-luna", 1_000_000, 100_000)),
    span("3", "0", "execute_tool", tool),
    span("4", "3", "execute_tool", tool),
  ]);
}

const silentTraceId = "4bf92f3577b34da6a3ce929d0e0e4737";

/** One trace of an agent that names no model and reports three times the usage of its only call, which comes later. */
async function exportSilentAgent(projectId: string): Promise<void> {
  const agent = { "gen_ai.agent.name": "guesser", ...usage(null, 3_000_000, 300_000) };
  for (const part of [
    span("0", undefined, "invoke_agent", agent),
    span("1", "0", "chat", usage("gpt-5.6-sol", 1_000_000, 100_000)),
  ]) {
    await exportSpans(projectId, [{ ...part, traceId: silentTraceId }]);
  }
}

const dollars = (amounts: Record<string, number>) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Number(amount.toFixed(9))]));

describe("the figures of a window", () => {
  test("are zeros in every bucket of a project without spans, null where there is nothing to take a share of, never NaN", async () => {
    const projectId = newProject();
    const { window, buckets, totals } = await read(metrics, projectId, "window=24h");

    expect(window).toBe("24h");
    expect(buckets).toHaveLength(24);
    expect(buckets.at(-1)).toMatchObject({ label: "12:00", ts: "2026-11-18T12:00:00.000Z", traces: 0, costPrompt: 0 });
    expect(totals).toMatchObject({ latencyP50: null, unpricedTokenShare: null, byTool: {}, byModelCost: {} });
    const month = await read(metrics, projectId, "window=30d");
    expect(month.buckets).toHaveLength(30);
    expect(month.buckets[0]).toMatchObject({ label: "2026-10-20", ts: "2026-10-20T00:00:00.000Z" });
    expect(await read(metrics, projectId, "window=year")).toMatchObject({ window: "7d", buckets: { length: 7 } });
    expect((await read(metrics, projectId, "agentId=nobody")).totals).toEqual(totals);
  });

  test("count the tokens of an OpenTelemetry trace once, each by the model of its call, and each call of a tool once", async () => {
    const projectId = newProject();
    await exportTrace(projectId);
    await exportTrace(newProject());

    const { buckets, totals } = await read(metrics, projectId, "window=24h");
    expect(totals).toMatchObject({
      spansLlm: 2,
      spansTool: 2,
      spansRetrieval: 0,
      spansOther: 1,
      traces: 1,
      errors: 0,
      latencyP50: 1000,
      latencyP95: 1000,
      tokensPrompt: 2_000_000,
      tokensCompletion: 200_000,
      toolCalls: 1,
      toolFailures: 0,
      byTool: { search: { calls: 1, failures: 0 } },
      unpricedTokenShare: 0,
    });
    expect(dollars(totals.byModelCost)).toEqual({ "gpt-5.6-sol": 8, "gpt-5.6-luna": 0.32 });
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${json.traces[0]._id}`);
    const { costPrompt, costCached, costCompletion } = totals;
    expect(costPrompt + costCached + costCompletion).toBeCloseTo(detail.json.estimatedCostUSD, 9);
    const { label: _label, ts, ...bucket } = buckets.find(({ traces }) => traces > 0) ?? { label: "", ts: "" };
    expect(ts).toBe("2026-11-18T11:00:00.000Z");
    expect(bucket).toEqual(totals);
    const hour = await read(metrics, projectId, "window=1h");
    expect([hour.buckets.length, hour.totals]).toEqual([12, totals]);
    expect(hour.buckets.filter(({ traces }) => traces > 0)).toMatchObject([
      { label: "11:40", ts: "2026-11-18T11:40:00.000Z" },
    ]);
  });

  test("do not price what an agent without a model used beyond its calls, like the detail and the list", async () => {
    const projectId = newProject();
    await exportSilentAgent(projectId);

    const { totals } = await read(metrics, projectId, "window=24h");
    expect(totals).toMatchObject({ tokensPrompt: 3_000_000, tokensCompletion: 300_000 });
    expect(dollars(totals.byModelCost)).toEqual({ "gpt-5.6-sol": 8 });
    expect(totals.unpricedTokenShare).toBeCloseTo(2 / 3, 9);
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?view=preview");
    const [root] = json.traces;
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${root._id}`);
    expect(detail.json).toMatchObject({ model: "gpt-5.6-sol", estimatedCostUSD: expect.closeTo(8, 9) });
    expect(root.costUSD).toBeCloseTo(8, 9);
  });

  test("price what an agent used beyond its calls once a log record names its model", async () => {
    const projectId = newProject();
    await exportSilentAgent(projectId);
    const body = buildLogs({
      event: "gen_ai.client.inference.operation.details",
      attributes: { "gen_ai.request.model": "gpt-5.6-luna" },
      more: { traceId: silentTraceId, spanId: "00f067aa0ba902b0" },
    });
    const headers = { "content-type": "application/json" };
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/logs", { body, headers })).text).toBe("{}");

    const { totals } = await read(metrics, projectId, "window=24h");
    expect(dollars(totals.byModelCost)).toEqual({ "gpt-5.6-sol": 8, "gpt-5.6-luna": 0.64 });
    expect(totals.unpricedTokenShare).toBe(0);
  });

  test("count a REST parent's repetition of its children once, also past a step that reports nothing", async () => {
    const projectId = newProject();
    const used = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
    const model = "gpt-5.6-terra";
    const llm = { span_kind: "llm", model, ...used(400_000, 40_000), parent_span_id: "step" };
    await submit(projectId, { ...llm, span_id: "a" });
    await submit(projectId, { ...llm, span_id: "b" });
    await submit(projectId, { span_id: "step", parent_span_id: "root" });
    await submit(projectId, { span_id: "t", span_kind: "tool", name: "search", parent_span_id: "root", error: "no" });
    const calls = [{ name: "search", success: false }, { name: "fetch" }];
    await submit(projectId, { span_id: "root", model, ...used(1_000_000, 100_000), tool_calls: calls, framework: "F" });

    const { totals } = await read(metrics, projectId);
    expect(totals).toMatchObject({
      traces: 1,
      tokensPrompt: 1_000_000,
      tokensCompletion: 100_000,
      costPrompt: expect.closeTo(2, 9),
      costCompletion: expect.closeTo(1.2, 9),
      toolCalls: 2,
      toolFailures: 1,
      byTool: { search: { calls: 1, failures: 1 }, fetch: { calls: 1, failures: 0 } },
      byFramework: { f: 1 },
    });
  });

  test("of children whose root has not arrived are their own: no trace, but their usage", async () => {
    const projectId = newProject();
    const child = { parent_span_id: "never", span_kind: "llm", model: "gpt-4o-mini", input_tokens: 1_000_000 };
    await submit(projectId, { ...child, output_tokens: 500_000, cache_read_tokens: 400_000 });
    await submit(projectId, { parent_span_id: "never", span_kind: "retriever", latency_ms: 5 });

    const { totals } = await read(metrics, projectId);
    expect(totals).toMatchObject({
      traces: 0,
      spansLlm: 1,
      spansRetrieval: 1,
      latencyP95: null,
      tokensPrompt: 1_000_000,
    });
    expect([totals.costPrompt, totals.costCached]).toEqual([expect.closeTo(0.09, 9), expect.closeTo(0.03, 9)]);
  });

  test("report the share of tokens without a price; spans that began outside the window are left out", async () => {
    const projectId = newProject();
    const used = { input_tokens: 30, output_tokens: 10, latency_ms: 7 };
    const before = (ms: number) => new Date(now - ms).toISOString();
    await submit(projectId, { ...used, model: "gpt-5.6-sol", latency_ms: 1 });
    await submit(projectId, { ...used, model: "mystery", error: "boom" });
    await submit(projectId, { ...used, timestamp: before(40 * 86_400_000) });
    await submit(projectId, {
      ...used,
      model: "gpt-5.6-sol",
      timestamp: before(7 * 86_400_000),
      framework: "__proto__",
    });

    const week = (await read(metrics, projectId)).totals;
    expect(week).toMatchObject({ traces: 2, errors: 1, latencyP50: 1, latencyP95: 7, unpricedTokenShare: 0.5 });
    expect(Object.keys(week.byModelCost)).toEqual(["gpt-5.6-sol"]);
    const month = (await read(metrics, projectId, "window=30d")).totals;
    expect(month).toMatchObject({ traces: 3, unpricedTokenShare: expect.closeTo(1 / 3, 9) });
    const { json } = await ingest.call(projectId, "GET", "/api/v1/agent-monitoring/metrics?window=30d");
    expect(Object.entries(json.totals.byFramework).sort()).toEqual([
      ["(none)", 2],
      ["__proto__", 1],
    ]);
  });

  test("of one agent are those of its traces, their children included", async () => {
    const projectId = newProject();
    await exportTrace(projectId);
    await submit(projectId, { name: "clerk", session_id: "s", span_id: "r" });
    await submit(projectId, { name: "call", span_kind: "llm", session_id: "s", parent_span_id: "r" });

    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    const totalsOf = async (name: string) => {
      const { _id: traceId } = json.traces.find((trace: { name: string }) => trace.name === name);
      const { agentId } = (await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traceId}`)).json;
      return (await read(metrics, projectId, `agentId=${agentId}`)).totals;
    };
    expect(await totalsOf("clerk")).toMatchObject({ traces: 1, spansLlm: 1, spansTool: 0, tokensPrompt: 0 });
    expect(await totalsOf("planner")).toMatchObject({ traces: 1, spansLlm: 2, spansTool: 2, tokensPrompt: 2_000_000 });
  });
});

test("the trend of costs has a point for each hour or day, by model", async () => {
  const projectId = newProject();
  await exportTrace(projectId);
  const { points, totals } = await read(costTrend, projectId, "window=24h");

  expect(points).toHaveLength(24);
  expect(totals.cost).toBeCloseTo(8.32, 9);
  expect(dollars(points.find(({ label }) => label === "11:00")?.byModel ?? {})).toEqual(dollars(totals.byModel));
  expect(points.at(-1)).toMatchObject({ cost: 0, byModel: {}, unpricedTokenShare: null });
});

test("monitor receives the cost of each model in a window; one without a price is missing", async () => {
  const projectId = newProject();
  await exportTrace(projectId);
  await submit(projectId, { model: "unpriced", input_tokens: 5, output_tokens: 5 });
  const asked = { projectId, organizationId: null, window: "24h" as const };
  const options = { requestId: "test", deadlineMs: 20_000 };
  const { costs } = await monitor.call(internalRoutes.readModelCosts, asked, options);
  const { totals } = await read(costTrend, projectId, "window=24h");
  expect(Object.keys(totals.byModel).toSorted()).toEqual(["gpt-5.6-luna", "gpt-5.6-sol"]);
  expect(Object.fromEntries(costs.map(({ model, cost }) => [model, cost]))).toEqual(totals.byModel);
});

test("monitor receives the cost of each agent in a window, which equals the figures of that agent", async () => {
  const projectId = newProject();
  await exportTrace(projectId);
  await exportTrace(newProject());
  await exportSilentAgent(projectId);
  const used = { model: "gpt-5.6-terra", input_tokens: 400_000, output_tokens: 40_000 };
  // A parent that repeats its child, with an agent's name on the parent alone.
  await submit(projectId, { ...used, span_kind: "llm", trace_id: "t", span_id: "child", parent_span_id: "root" });
  await submit(projectId, { ...used, name: "clerk", trace_id: "t", span_id: "root" });
  await submit(projectId, { name: "silent", model: "unpriced", input_tokens: 5, output_tokens: 5 });
  const { costs } = await monitor.call(
    internalRoutes.readAgentCosts,
    { projectId, organizationId: null, window: "24h" },
    { requestId: "test", deadlineMs: 20_000 },
  );
  expect(costs.length).toBeGreaterThanOrEqual(2);
  for (const { agentId, cost } of costs) {
    const { totals } = await read(costTrend, projectId, `window=24h&agentId=${agentId}`);
    expect(cost).toBeCloseTo(totals.cost, 9);
  }
  const { totals } = await read(costTrend, projectId, "window=24h");
  expect(costs.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(totals.cost, 9);
});
