import { randomBytes } from "node:crypto";
import { costTrend, traceHistogram, traceList } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const [fast, slow] = ["gpt-5.6-luna", "gpt-5.6-terra"];
const used = { input_tokens: 1_000_000, output_tokens: 100 };

async function list(projectId: string, query: Record<string, string>) {
  const { status, json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return traceList.parse(json);
}

async function namesOf(projectId: string, query: Record<string, string>): Promise<string[]> {
  const { traces, totalCount } = await list(projectId, query);
  expect(totalCount).toBe(traces.length);
  return traces.map(({ name }) => name).sort();
}

/** Exports a trace with a call of each of these models. The calls state the tokens, or its agent does. */
async function exportTrace(
  projectId: string,
  name: string,
  models: readonly string[],
  tokensOf: "calls" | "agent" = "calls",
): Promise<void> {
  const startMs = Date.now() - 60_000;
  const traceId = randomBytes(16).toString("hex");
  const span = (spanId: string, attributes: Record<string, string | number>, more: object) => ({
    ...{ traceId, spanId, name, ...more },
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1_000}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: `${value}` } : { stringValue: value },
    })),
  });
  const tokens = { "gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 100 };
  const agent = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name };
  const spans = [
    span("a".repeat(16), { ...agent, ...(tokensOf === "agent" && tokens) }, {}),
    ...models.map((model, index) =>
      span(
        `${"b".repeat(15)}${index}`,
        { "gen_ai.operation.name": "chat", "gen_ai.request.model": model, ...(tokensOf === "calls" && tokens) },
        { parentSpanId: "a".repeat(16) },
      ),
    ),
  ];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
}

async function submit(projectId: string, span: object): Promise<void> {
  expect((await ingest.submit(projectId, span)).status).toBe(201);
}

test("a filter lists the traces in which a model was used, as the costs by model count them", async () => {
  const [projectId, foreign] = [newProject(), newProject()];
  await exportTrace(projectId, "both", [fast, slow]);
  await exportTrace(projectId, "only fast", [fast]);
  await exportTrace(foreign, "foreign", [slow]);
  await submit(projectId, { name: "own call", model: slow, ...used });
  // Three levels of a session that another trace shares.
  const session_id = "talk";
  await submit(projectId, { name: "deep", span_id: "top", session_id });
  await submit(projectId, { name: "step", span_id: "step", parent_span_id: "top", session_id });
  const call = { name: "call", span_id: "call", parent_span_id: "step", span_kind: "llm", model: slow, ...used };
  await submit(projectId, { ...call, session_id });
  await submit(projectId, { name: "neighbour", span_id: "other", session_id, model: fast, ...used });
  await submit(projectId, { name: "names it without tokens", model: slow });

  expect(await namesOf(projectId, { usedModel: slow })).toEqual(["both", "deep", "own call"]);
  expect(await namesOf(projectId, { usedModel: fast })).toEqual(["both", "neighbour", "only fast"]);
  expect(await namesOf(projectId, { usedModel: "unknown\u0000" })).toEqual([]);
  expect(await namesOf(projectId, { usedModel: slow, search: "o" })).toEqual(["both", "own call"]);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  expect(await namesOf(projectId, { usedModel: slow, from, model: fast })).toEqual(["both"]);
  expect(await namesOf(projectId, { usedModel: slow, to: from })).toEqual([]);
  expect(await namesOf(projectId, { usedModel: slow, to: from, search: "o" })).toEqual([]);
  for (const search of [{}, { search: "o" }]) {
    const path = `/api/v1/ingest/traces/histogram?${new URLSearchParams({ usedModel: slow, ...search })}`;
    const { buckets } = traceHistogram.parse((await ingest.call(projectId, "GET", path)).json);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe("search" in search ? 2 : 3);
  }

  const trend = await ingest.call(projectId, "GET", "/api/v1/agent-monitoring/cost-trend?window=24h");
  const { byModel } = costTrend.parse(trend.json).totals;
  const [one] = (await list(projectId, { search: "own call", view: "preview" })).traces;
  expect(byModel[slow]).toBeCloseTo(3 * (one?.costUSD ?? 0), 9);
});

test("the tokens of an agent are not those of the model that its trace shows", async () => {
  const projectId = newProject();
  await exportTrace(projectId, "agent's tokens", [slow], "agent");
  await exportTrace(projectId, "call's tokens", [slow]);

  const { traces } = await list(projectId, { view: "preview", model: slow });
  expect(traces.map(({ name, model }) => [name, model]).sort()).toEqual([
    ["agent's tokens", slow],
    ["call's tokens", slow],
  ]);
  expect(await namesOf(projectId, { usedModel: slow })).toEqual(["call's tokens"]);
});

test("a list of the traces that show no model leaves out those that do", async () => {
  const projectId = newProject();
  await submit(projectId, { name: "with a model", model: fast });
  await submit(projectId, { name: "without" });
  await exportTrace(projectId, "calls a model", [fast]);
  await submit(newProject(), { name: "foreign" });
  for (const search of [{}, { search: "wit" }]) {
    expect(await namesOf(projectId, { hasModel: "false", ...search })).toEqual(["without"]);
  }
  expect(await namesOf(projectId, { hasModel: "true" })).toEqual(["calls a model", "with a model"]);
  expect((await ingest.call(projectId, "GET", "/api/v1/ingest/traces?hasModel=perhaps")).status).toBe(400);
});

test("a search for the traces that used a model has pages", async () => {
  const projectId = newProject();
  for (const number of [1, 2, 3, 4, 5]) {
    await submit(projectId, { name: `call ${number}`, model: number === 3 ? fast : slow, ...used });
  }
  const query = { usedModel: slow, search: "call", limit: "3" };
  const first = await list(projectId, query);
  const second = await list(projectId, { ...query, cursor: first.nextCursor ?? "" });
  expect([first, second].map(({ totalCount, traces }) => [totalCount, traces.map(({ name }) => name)])).toEqual([
    [4, ["call 5", "call 4", "call 2"]],
    [4, ["call 1"]],
  ]);
});
