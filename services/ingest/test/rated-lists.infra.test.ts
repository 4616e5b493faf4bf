import { tracesJudged } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { createVerdictStore } from "../src/judging/verdict-store.ts";
import { buildExport } from "./otlp/build-export.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest, pools } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const list = (projectId: string, query: Record<string, string>) =>
  ingest.call(projectId, "GET", `/api/v1/ingest/traces?${new URLSearchParams(query)}`);

async function submit(projectId: string, trace: object): Promise<string> {
  const { status, json } = await ingest.submit(projectId, trace);
  expect(status).toBe(201);
  return json.trace_id;
}

/** What live judging said of a trace: ratings against a threshold of 5. */
function rate(projectId: string, traceId: string, rating: number, failingCount = rating < 5 ? 1 : 0): Promise<void> {
  const judgeScores = { rating, threshold: 5, scorerName: "Tone", judgeCount: 1, failingCount, verdicts: [] };
  const { traces } = tracesJudged.body.parse({
    traces: [{ projectId, traceId, revision: 1, judgeScores, topic: null }],
  });
  return createVerdictStore(pools.maintenance).keep(traces);
}

/** Monitor found that a trace fails by itself, and it has no rating. */
function tellFailure(projectId: string, traceId: string): Promise<void> {
  const told = { revision: 1, judgeScores: null, topic: null, failure: "agent-tool-failure:search" };
  return createVerdictStore(pools.maintenance).keep(
    tracesJudged.body.parse({ traces: [{ projectId, traceId, ...told }] }).traces,
  );
}

describe("a list narrowed by ratings and latency", () => {
  const [projectId, foreign] = [newProject(), newProject()];

  beforeAll(async () => {
    const traces = [
      { name: "good", latency_ms: 100, rating: 9 },
      { name: "edge", latency_ms: 2_000, rating: 5 },
      { name: "bad", latency_ms: 30_000.5, rating: 2.5 },
      { name: "broken", latency_ms: 50, error: "no", rating: null },
      { name: "unrated", rating: null },
    ];
    await tellFailure(foreign, await submit(foreign, { name: "stuck", input: "alike" }));
    await tellFailure(projectId, await submit(projectId, { name: "stuck", latency_ms: 70, input: "alike" }));
    for (const { rating, ...trace } of traces) {
      for (const owner of [foreign, projectId]) {
        const id = await submit(owner, { ...trace, input: "alike" });
        if (rating !== null) await rate(owner, id, owner === projectId ? rating : 1);
      }
    }
  });

  test.each<[Record<string, string>, string[]]>([
    [{ ratingMin: "5" }, ["edge", "good"]],
    [{ ratingMax: "5" }, ["bad", "edge"]],
    [{ ratingMin: "2.5", ratingMax: "5" }, ["bad", "edge"]],
    [{ ratingMin: "0" }, ["bad", "edge", "good"]],
    [{ ratingMin: "11" }, []],
    [{ failing: "true" }, ["broken", "bad", "stuck"]],
    [{ failing: "false" }, ["unrated", "edge", "good"]],
    [{ failing: "false", ratingMin: "0" }, ["edge", "good"]],
    [{ latencyMinMs: "2000" }, ["bad", "edge"]],
    [{ latencyMinMs: "30000.5", failing: "true" }, ["bad"]],
    [{ hasError: "true", failing: "true" }, ["broken"]],
    [{ failing: "true", source: "eval" }, []],
    [{ toolFailing: "true" }, ["stuck"]],
    [{ toolFailing: "false" }, ["unrated", "broken", "bad", "edge", "good"]],
    [{ toolFailing: "true", hasError: "true" }, []],
  ])("%j lists exactly those, and counts them, also within a search", async (query, names) => {
    for (const search of [{}, { search: "ALIKE" }, { search: "li" }]) {
      const { json } = await list(projectId, { ...query, ...search });
      expect([json.traces.map(({ name }: { name: string }) => name), json.totalCount]).toEqual([names, names.length]);
      const page = await list(projectId, { ...query, ...search, limit: "1" });
      expect([page.json.traces.length, page.json.totalCount]).toEqual([Math.min(1, names.length), names.length]);
    }
  });

  test.each([
    { ratingMin: "high" },
    { ratingMax: " " },
    { latencyMinMs: "NaN" },
    { failing: "perhaps" },
    { toolFailing: "1" },
  ])("%j is refused", async (query) => {
    expect((await list(projectId, query as Record<string, string>)).status).toBe(400);
  });
});

describe("the preview", () => {
  test("has the beginning of each text, the agent and the cost, and no tool calls", async () => {
    const projectId = newProject();
    const id = await submit(projectId, {
      name: "refund agent",
      model: "gpt-5.6-sol",
      input: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "a".repeat(9_000_000) },
      ],
      output: "b".repeat(400),
      error: "c".repeat(400),
      tool_calls: [{ name: "refund" }],
      input_tokens: 1_000_000,
      output_tokens: 10,
    });
    const { json, text } = await list(projectId, { view: "preview" });
    const { json: detail } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${id}`);

    const [item] = json.traces;
    expect(item).toMatchObject({
      _id: id,
      output: "b".repeat(300),
      error: "c".repeat(300),
      agentId: detail.agentId,
      costUSD: detail.estimatedCostUSD,
      spanCount: null,
      judgeScores: null,
    });
    expect(item.costUSD).toBeGreaterThan(0);
    expect(item.input).toHaveLength(300);
    expect(item).not.toHaveProperty("toolCalls");
    expect(text.length).toBeLessThan(2_000);
    const whole = await list(projectId, { view: "whole" });
    expect(whole.json.traces[0]).toHaveProperty("toolCalls");
    expect(whole.json.traces[0]).not.toHaveProperty("costUSD");
  });

  test("prices an OpenTelemetry trace as its detail does, and counts its spans, in its own project only", async () => {
    const [projectId, foreign] = [newProject(), newProject()];
    const agent = {
      root: true,
      name: "agent",
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner" },
    };
    const call = (model: string, input: number) => ({
      name: `chat ${model}`,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": input,
        "gen_ai.usage.output_tokens": 10,
      },
      more: { parentSpanId: "eee19b7ec3c10000" },
    });
    const send = (owner: string, ...calls: ReturnType<typeof call>[]) =>
      ingest.call(owner, "POST", "/api/v1/otel/v1/traces", { body: buildExport(agent, ...calls) });
    expect((await send(projectId, call("gpt-5.6-sol", 5_000), call("gpt-5.6-luna", 700))).status).toBe(200);
    expect((await send(foreign, call("gpt-5.6-sol", 9_000_000))).status).toBe(200);

    const { json } = await list(projectId, { view: "preview" });
    const { json: detail } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${json.traces[0]._id}`);
    expect(json.traces).toHaveLength(1);
    expect(json.traces[0].spanCount).toBe(3);
    expect(json.traces[0].costUSD).toBeGreaterThan(0);
    expect(json.traces[0].costUSD).toBe(detail.estimatedCostUSD);
  });
});
