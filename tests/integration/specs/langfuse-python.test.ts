import {
  gate,
  langfuseRunWithItems,
  promptList,
  run as runSchema,
  scoreList,
  traceDetail,
} from "@touchstone/contracts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type ApiClient, createClient } from "../src/client.ts";
import { basic, readOnlyTrace } from "../src/langfuse-clients.ts";
import { type FoundPython, installPython, runPython } from "../src/python.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** What `python/langfuse_client.py` prints. */
const printed = z.object({
  authenticated: z.boolean(),
  traceId: z.string(),
  production: z.unknown(),
  staging: z.unknown(),
  keptByUpserts: z.unknown(),
  /** Version 4 reads and deletes runs; version 5 has no members for it. */
  ofRuns: z.object({ runId: z.string(), readRun: z.unknown(), runsLeft: z.unknown() }).optional(),
});

const evaluations = "/custom-agent-evaluations";

let python: FoundPython;
let system: CombinedSystem;
let client: ApiClient;
let facts: z.output<typeof printed>;
let complaints: string;
let runId: string;

beforeAll(async () => {
  python = await installPython();
  if (python.executable === null) {
    // What is skipped in CI proves nothing.
    if (process.env.CI === "true") throw new Error(python.reason);
    return;
  }
  system = await startCombined();
  client = createClient(system);
  const { stdout, stderr } = await runPython(python.executable, "langfuse_client.py", {
    LANGFUSE_BASE_URL: system.url,
    LANGFUSE_PUBLIC_KEY: "pk-lf-any",
    LANGFUSE_SECRET_KEY: system.apiKey,
  });
  facts = printed.parse(JSON.parse(stdout));
  complaints = stderr;
  const path = "/datasets/capitals%2Fpython/runs/kept%20%2F%20run";
  const headers = { authorization: basic(system.apiKey) };
  // The run of a client that sends spans alone is there when its traces have settled.
  await waitUntil("the run has its items", async () => {
    const answer = await fetch(`${system.url}/api/public${path}`, { headers });
    const read = langfuseRunWithItems.parse(await answer.json());
    runId = read.id;
    return read.datasetRunItems.length === 2;
  });
}, 480_000);

afterAll(() => system?.stop());

beforeEach((context) => {
  if (python.executable === null) context.skip(python.reason);
});

test("Langfuse's client for Python checks its key and complains of nothing", () => {
  expect(facts.authenticated).toBe(true);
  expect(complaints).toBe("");
});

test("a trace of the client for Python has its spans, usage, cost and scores", async () => {
  const { detail, spans } = await readOnlyTrace(client, "python-agent");

  expect(detail).toMatchObject({
    input: { q: "Weather in Paris?" },
    output: "Sunny",
    framework: "langfuse",
    sessionId: "session-python",
    inputTokens: 16,
    cacheReadTokens: 4,
    outputTokens: 5,
    metadata: { userId: "user-1", tags: ["python"], team: "blue", otel: { traceId: facts.traceId } },
    scores: [{ name: "helpful", value: true, comment: "good" }],
  });
  const [root, plan, call] = spans;
  expect(spans).toMatchObject([
    { name: "python-agent", spanKind: "agent", parentSpanId: null },
    { name: "plan", spanKind: "chain", parentSpanId: root?.spanId },
    { name: "llm-call", spanKind: "llm", parentSpanId: plan?.spanId },
  ]);
  const path = `/ingest/traces/${call?._id}`;
  expect(await client.expect({ status: 200, schema: traceDetail }, "GET", path)).toMatchObject({
    model: "gpt-4o-mini",
    output: "Sunny",
    metadata: { reportedCostUSD: 0.75 },
    scores: [{ name: "tone", value: "kind" }],
  });
});

test("a prompt of the client for Python is read by its labels, and is one of ours", async () => {
  expect(facts.production).toEqual([1, "Hello Ada", { temperature: 0.5 }]);
  expect(facts.staging).toEqual([2, "Hi Ada", {}]);

  const { prompts } = await client.expect({ status: 200, schema: promptList }, "GET", `${evaluations}/prompts`);

  expect(prompts).toMatchObject([
    { name: "team/greeting", version: 2, text: "Hi {{name}}", labels: ["staging", "latest"], commitMessage: "Shorter" },
  ]);
});

test("a dataset and an item that the client for Python sends again by their names alone keep what they have", () => {
  expect(facts.keptByUpserts).toEqual(["Questions", { owner: "me" }, { q: "Capital of Italy?" }, "Rome"]);
});

test("an experiment of the client for Python is a run with the outputs and scores of its items", async () => {
  if (facts.ofRuns !== undefined) {
    expect(facts.ofRuns.runId).toBe(runId);
    expect(facts.ofRuns.readRun).toEqual({ id: runId, items: ["python France", "python Italy"] });
  }

  const read = await client.expect({ status: 200, schema: runSchema }, "GET", `${evaluations}/runs/${runId}`);

  expect(read).toMatchObject({
    runSource: "external",
    datasetName: "capitals/python",
    resultCount: 2,
    skips: [{ code: "scored_by_client", count: 2 }],
    evaluationSubject: { displayName: "kept / run", description: "As in the manual", metadata: { commit: "abc" } },
  });
  expect(read.results.map(({ questionText, output }) => [questionText, output?.text])).toEqual([
    ['{"q":"Capital of France?"}', "Paris"],
    ['{"q":"Capital of Italy?"}', "Rome"],
  ]);
  const path = `/scores?runId=${runId}`;
  const ofRun = await client.expect({ status: 200, schema: scoreList }, "GET", path);
  expect(ofRun.scores).toMatchObject([{ name: "answered", value: 2 }]);
  const gated = `${evaluations}/runs/${runId}/gate?metric=exact&failUnder=1`;
  expect(await client.expect({ status: 200, schema: gate }, "GET", gated)).toMatchObject({
    passed: true,
    averageRating: 1,
  });
});

test("a run that the client for Python deletes is gone, and the scores of its traces stay", async () => {
  if (facts.ofRuns !== undefined) expect(facts.ofRuns.runsLeft).toEqual(["kept / run"]);

  const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", "/scores?name=exact");

  expect(scores.map(({ value, spanId }) => [value, typeof spanId]).toSorted()).toEqual([
    [0, "string"],
    [0, "string"],
    [1, "string"],
    [1, "string"],
  ]);
});
