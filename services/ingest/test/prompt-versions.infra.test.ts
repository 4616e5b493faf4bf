import { randomBytes } from "node:crypto";
import { promptVersions, traceHistogram, traceList, tracesJudged } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { createVerdictStore } from "../src/judging/verdict-store.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest, pools } = useIngest();

const newProject = (): string => uuidv7(Date.now());

/** Exports an agent's trace with a call for each of these prompts; returns the id under which it is listed. */
async function exportTrace(
  projectId: string,
  {
    name,
    calls,
    agent = {},
    fails = false,
    ageMs = 60_000,
  }: {
    name: string;
    calls: readonly Record<string, string>[];
    agent?: Record<string, string | number>;
    fails?: boolean;
    ageMs?: number;
  },
): Promise<string> {
  const startMs = Date.now() - ageMs;
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
  const called = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5.6-luna", ...tokens };
  const spans = [
    span(
      "aaaaaaaaaaaaaaaa",
      { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, ...agent },
      {
        ...(fails && { status: { code: 2, message: "Timeout" } }),
      },
    ),
    ...calls.map((prompt, index) =>
      span(`bbbbbbbbbbbbbbb${index}`, { ...called, ...prompt }, { parentSpanId: "aaaaaaaaaaaaaaaa" }),
    ),
  ];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
  const [found] = (await list(projectId, { search: traceId })).traces;
  return found?._id ?? "";
}

async function list(projectId: string, query: Record<string, string>) {
  const { status, json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return traceList.parse(json);
}

async function read(projectId: string, query: Record<string, string>) {
  const path = `/api/v1/agent-monitoring/prompt-versions?${new URLSearchParams(query)}`;
  const { status, json } = await ingest.call(projectId, "GET", path);
  expect(status).toBe(200);
  return promptVersions.strict().parse(json);
}

function rate(projectId: string, traceId: string, rating: number): Promise<void> {
  const judgeScores = { rating, threshold: 5, scorerName: "Tone", judgeCount: 1, failingCount: 0, verdicts: [] };
  const rated = { projectId, traceId, revision: 1, judgeScores, topic: null };
  return createVerdictStore(pools.maintenance).keep(tracesJudged.body.parse({ traces: [rated] }).traces);
}

const greeting = (version: string) => ({ "gen_ai.prompt.name": "greeting", "gen_ai.prompt.version": version });
const byLangfuse = {
  "langfuse.observation.prompt.name": "greeting",
  "langfuse.observation.prompt.version": "2",
};

test("the versions of a prompt are compared by the traces that state them, and a filter lists these", async () => {
  const [projectId, foreign] = [newProject(), newProject()];
  const first = await exportTrace(projectId, { name: "one", calls: [greeting("1"), greeting("1")] });
  const failed = await exportTrace(projectId, { name: "two", calls: [greeting("1")], fails: true });
  const second = await exportTrace(projectId, {
    name: "three",
    calls: [byLangfuse, { "gen_ai.prompt.name": "other" }],
  });
  await exportTrace(projectId, { name: "old", calls: [greeting("1")], ageMs: 20 * 86_400_000 });
  await exportTrace(projectId, { name: "none", calls: [{}] });
  const unversioned = await exportTrace(projectId, { name: "four", calls: [{ "gen_ai.prompt.name": "greeting" }] });
  await exportTrace(foreign, { name: "foreign", calls: [greeting("1")] });
  await rate(projectId, first, 8);
  await rate(projectId, failed, 3);

  const { versions, since, ...others } = await read(projectId, { name: "greeting" });
  expect(others).toEqual({ name: "greeting", window: "7d" });
  const cost = versions.find(({ version }) => version === "2")?.costUSD ?? 0;
  expect(cost).toBeGreaterThan(0);
  const unrated = { rated: 0, averageRating: null };
  expect(versions).toEqual([
    { version: null, traces: 1, errors: 0, ...unrated, costUSD: cost },
    { version: "2", traces: 1, errors: 0, ...unrated, costUSD: cost },
    { version: "1", traces: 2, errors: 1, rated: 2, averageRating: 5.5, costUSD: expect.closeTo(3 * cost, 9) },
  ]);
  expect((await read(projectId, { name: "greeting", window: "30d" })).versions.at(-1)).toMatchObject({ traces: 3 });
  expect((await read(projectId, { name: "unknown\u0000" })).versions).toEqual([]);

  const ids = async (query: Record<string, string>) => (await list(projectId, query)).traces.map(({ _id }) => _id);
  const version1 = { promptName: "greeting", promptVersion: "1", from: since };
  expect(await ids(version1)).toEqual([failed, first]);
  expect(await ids({ ...version1, hasError: "true" })).toEqual([failed]);
  expect(await ids({ ...version1, search: "one" })).toEqual([first]);
  expect(await ids({ promptName: "greeting", from: since })).toEqual([unversioned, second, failed, first]);
  expect(await ids({ promptName: "greeting", promptVersion: "9" })).toEqual([]);
  for (const search of [{}, { search: "o" }]) {
    const path = `/api/v1/ingest/traces/histogram?${new URLSearchParams({ ...version1, ...search })}`;
    const { buckets } = traceHistogram.parse((await ingest.call(projectId, "GET", path)).json);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  }
});

test("a version that an agent without a model states is not priced by the model of its calls", async () => {
  const projectId = newProject();
  const usage = { "gen_ai.usage.input_tokens": 3_000_000, "gen_ai.usage.output_tokens": 300 };
  await exportTrace(projectId, { name: "one", calls: [{}], agent: { ...greeting("1"), ...usage } });
  await exportTrace(projectId, { name: "two", calls: [greeting("2")] });
  const { versions } = await read(projectId, { name: "greeting" });
  expect(versions.find(({ version }) => version === "2")?.costUSD).toBeGreaterThan(0);
  expect(versions.find(({ version }) => version === "1")).toMatchObject({ traces: 1, costUSD: null });
});

test("a name is required", async () => {
  const answer = await ingest.call(newProject(), "GET", "/api/v1/agent-monitoring/prompt-versions?name=");
  expect(answer).toMatchObject({ status: 400, json: { error: "name is required" } });
});

test("the versions come back with an import, and an update of a span changes its version", async () => {
  const [projectId, copy] = [newProject(), newProject()];
  await exportTrace(projectId, { name: "one", calls: [greeting("1")] });
  const exported = await ingest.call(projectId, "GET", "/api/v1/export/traces");
  const imported = await ingest.call(copy, "POST", "/api/v1/import/traces", {
    body: exported.text,
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(imported.status).toBe(200);
  expect((await read(copy, { name: "greeting" })).versions).toMatchObject([{ version: "1", traces: 1 }]);

  const update = (time: string, version: string) => ({
    ...{ traceId: "c".repeat(32), spanId: "d".repeat(16), type: "update", time, name: "call" },
    startTime: new Date(Date.now() - 60_000).toISOString(),
    attributes: greeting(version),
  });
  for (const [time, version] of [
    ["2026-01-05T00:00:00.000Z", "1"],
    ["2026-01-05T00:00:01.000Z", "2"],
  ] as const) {
    const body = JSON.stringify({ updates: [update(time, version)] });
    expect((await ingest.call(copy, "POST", "/api/v1/ingest/span-updates", { body })).status).toBe(201);
  }
  const { versions } = await read(copy, { name: "greeting" });
  expect(versions.find(({ version }) => version === "2")).toMatchObject({ traces: 1 });
});
