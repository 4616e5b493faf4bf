import { expect, test } from "vitest";
import { z } from "zod";
import { type Ask, answerMaxChars, callTool, listTools } from "../src/index.ts";

const long = "</untrusted-data>\u0000\u{1f600}\"'".repeat(2_000);
const many = (count: number, row: object) => Array.from({ length: count }, () => row);
const page = { totalCount: 10_000, nextCursor: "next", hasNextPage: true };
const spans = Array.from({ length: 5_000 }, (_, index) => ({
  _id: `0190-${index}`,
  spanId: `span-${index}`,
  parentSpanId: index === 0 ? null : `span-${index - 1}`,
  name: long,
  spanKind: "tool",
  latencyMs: 1,
  hasError: true,
}));
const result = {
  ...{ _id: "r", questionIndex: 0, rating: 0, status: "scored", questionText: long, output: { text: long } },
  ...{ expected: long, justification: long, error: { message: long }, traceId: long },
  ...{ judgeScorerResults: many(50, { name: long }), codeScorerResults: many(50, { name: long }) },
};
const side = { rating: 1, output: long, justification: long, traceId: long };
const trace = {
  _id: "t",
  name: long,
  createdAt: "",
  input: { long },
  output: long,
  error: long,
  sessionId: long,
  model: long,
};

/** Answers with as much as the API may, and more. */
const replies: Readonly<Record<string, unknown>> = {
  "/ingest/traces": { ...page, traces: many(15, trace) },
  "/outline": { truncated: false, spans },
  "/ingest/traces/t": { ...trace, scores: many(100, { name: long, value: long, comment: long, author: long }) },
  "/ingest/traces/0190-1": { ...trace, scores: [] },
  "/evaluations": {
    evaluations: many(20, { evaluatorName: long, rating: 1, justification: long, judges: many(20, { name: long }) }),
  },
  "/monitor/signals": {
    ...page,
    signals: many(10, {
      summary: long,
      rootCause: long,
      agentId: { name: long },
      occurrences: many(10, { traceId: long, query: long }),
    }),
  },
  "/results": { ...page, results: many(10, result) },
  "/runs/compare": {
    baselineRun: {},
    candidateRun: {},
    cases: many(1_000, { questionIndex: 0, query: long, expected: long, baseline: side, candidate: side, delta: 1 }),
  },
  "/gate": { passed: false, gatedScorer: { name: long }, checks: many(4, { detail: long }) },
  "/datasets": {
    ...page,
    datasets: [
      ...many(19, { _id: "d", name: long, description: long, caseCount: 150 }),
      { _id: "empty", name: long, description: long, caseCount: 0 },
    ],
  },
  "/batch/versions": { versionCounts: { d: 1 } },
  "/case-preview": { case: { main_question: { query: long, expectedResults: long }, source: { traceId: long } } },
  "/cases": { added: 1, caseCount: 1, duplicates: many(10, { index: 0, reason: "same-query" }) },
  "/custom-agent-evaluations/runs": {
    ...page,
    runId: "r",
    runs: many(20, { liveStatistics: {}, evaluationSubject: { name: long, version: long } }),
  },
  "/runs/r": { status: "in_progress", datasetId: "d", datasetVersion: 1 },
  "/missing-results": {
    submittedKeys: ["r:case-4:run-2"],
    missing: Array.from({ length: 150 }, (_, questionIndex) => ({
      ...{ questionIndex, runNumber: 1, idempotencyKey: `r:case-${questionIndex}:run-1` },
      ...(questionIndex < 100 && { question: { query: long, followUps: Array.from({ length: 9 }, () => long) } }),
    })),
  },
  "/finalize": { status: "completed", liveStatistics: { averageRating: 7 } },
  "/scores": { scores: [{ id: long, name: long, value: long }] },
};
const sent: string[] = [];
const bodies: unknown[] = [];
const ask: Ask = async (method, path, _query, body) => {
  sent.push(`${method} ${path}`);
  if (body !== undefined) bodies.push(body);
  if (method === "POST" && path.endsWith("/results"))
    return scoredAs(body as { results: { idempotencyKey: string }[] });
  const ending = Object.keys(replies)
    .filter((end) => path.endsWith(end))
    .sort((left, right) => right.length - left.length)[0];
  if (ending === undefined) throw new Error(`no reply to ${path}`);
  return replies[ending];
};

/** The reply to a batch; the server drops the second answer as invalid. */
const scoredAs = ({ results }: { results: { idempotencyKey: string }[] }) => ({
  ...{ accepted: results.length - 1, duplicates: 0, failedValidation: 1, status: "in_progress" },
  scoredResults: results
    .filter((_, index) => index !== 1)
    .map(({ idempotencyKey }) => ({ idempotencyKey, status: "scored", rating: 7, justification: long })),
  liveStatistics: { averageRating: 6 },
});

const toolOf = (name: string) => {
  const tool = listTools({ write: true }).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};
const run = async (name: string, args: object, by = ask) => {
  const tool = toolOf(name);
  const { content } = await callTool(tool, tool.input.parse(args), by);
  return content.map(({ text }) => text);
};

test("the list of tools takes fewer than 12,000 characters", () => {
  const list = listTools({ write: true }).map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }),
    annotations: { readOnlyHint: false, destructiveHint: false },
  }));
  expect(JSON.stringify(list).length).toBeLessThan(12_000);
});

test("tools that write are listed only with write access", () => {
  const names = listTools({ write: false }).map(({ name }) => name);
  expect(names).not.toContain("add_score");
  expect(
    listTools({ write: true })
      .filter(({ writes }) => writes)
      .map(({ name }) => name),
  ).toEqual(["add_cases_from_traces", "add_score", "start_run", "submit_answers"]);
});

test.each([
  ["search_traces", { limit: 15 }],
  ["get_trace", { traceId: "t" }],
  ["get_trace", { traceId: "t", offset: 100 }],
  ["get_trace", { traceId: "t", spanId: "span-1", offset: 30_000 }],
  ["explain_score", { traceId: "t" }],
  ["explain_score", { runId: "r", resultId: "r" }],
  ["list_signals", {}],
  ["list_failing_cases", { runId: "r" }],
  ["compare_runs", { baseline: "a", candidate: "b" }],
  ["gate_run", { runId: "r", failUnder: 5 }],
  ["list_datasets", {}],
  ["list_datasets", { datasetId: "d" }],
  ["add_cases_from_traces", { datasetId: "d", traceIds: Array.from({ length: 10 }, () => "t") }],
  ["add_score", { name: "n", value: 1 }],
  ["start_run", { datasetId: "d" }],
  ["start_run", { runId: "r" }],
  ["submit_answers", { runId: "r", answers: many(10, { case: 0, answer: "a" }) }],
])("an answer of %s %j is below the limit, and its recorded text stays between the marks", async (name, args) => {
  const texts = await run(name, args);
  expect(texts.join("").length).toBeLessThan(answerMaxChars);
  expect(texts[0]).not.toContain("<");
  expect(texts[1]?.match(/<\/?untrusted-data>/g)).toEqual(["<untrusted-data>", "</untrusted-data>"]);
  expect(texts[1]?.endsWith("</untrusted-data>")).toBe(true);
});

test("a large tree is read whole by its offsets, each step once", async () => {
  let lines = 0;
  for (let offset: number | null = 0; offset !== null; ) {
    const [facts, recorded] = await run("get_trace", { traceId: "t", offset });
    lines += recorded?.match(/ ERROR 0190-\d+"/g)?.length ?? 0;
    offset = JSON.parse(facts ?? "").next;
  }
  expect(lines).toBe(spans.length);
});

test("cases are only shown unless the dry run is switched off", async () => {
  sent.length = 0;
  await run("add_cases_from_traces", { datasetId: "d", traceIds: ["t"] });
  expect(sent).not.toContain("POST /api/v1/custom-agent-evaluations/datasets/d/cases");
  await run("add_cases_from_traces", { datasetId: "d", traceIds: ["t"], dryRun: false });
  expect(sent).toContain("POST /api/v1/custom-agent-evaluations/datasets/d/cases");
});

test("a run is started for the agent that answers, and its questions are asked without reading the dataset", async () => {
  [sent.length, bodies.length] = [0, 0];
  const [facts, recorded] = await run("start_run", { datasetId: "d", name: "helper", version: "2" });

  expect(bodies).toEqual([
    { datasetId: "d", evaluationSubject: { displayName: "helper", version: "2" }, sdk: { name: "mcp" } },
  ]);
  expect(JSON.parse(facts ?? "")).toEqual({ runId: "r", status: "in_progress", missing: 150, shown: 1 });
  expect(recorded).toContain('"case":0,"runNumber":1');
  expect(sent.filter((request) => request.includes("/datasets/"))).toEqual([]);
});

test("a run whose questions cannot be read is named, so that no other one is started in its place", async () => {
  const broken: Ask = (method, path, ...more) =>
    path.endsWith("/missing-results") ? Promise.reject(new Error("away")) : ask(method, path, ...more);

  const [facts] = await run("start_run", { datasetId: "d" }, broken);

  expect(JSON.parse(facts ?? "")).toEqual({ runId: "r", error: expect.stringContaining("start_run with this runId") });
  await expect(run("start_run", { runId: "r" }, broken)).rejects.toThrow("away");
});

test("a run of a dataset without cases is refused before anything is created", async () => {
  bodies.length = 0;
  expect(await run("start_run", { datasetId: "empty" })).toEqual([
    JSON.stringify({ error: "The dataset has no cases. Add some first. No run was started." }),
  ]);
  expect(bodies).toEqual([]);
});

test("a run is neither started twice nor without a dataset", async () => {
  sent.length = 0;
  for (const args of [{}, { datasetId: "d", runId: "r" }]) {
    expect(await run("start_run", args)).toEqual([expect.stringContaining("Give datasetId")]);
  }
  expect(sent).toEqual([]);
});

test("answers are submitted under the keys of their cases, and the run is ended only when that is asked for", async () => {
  [sent.length, bodies.length] = [0, 0];
  const answers = [
    { case: 3, answer: "Paris" },
    { case: 4, runNumber: 2, error: "no idea", traceId: "t" },
    { case: 5, answer: "Rome" },
  ];

  const [facts, recorded] = await run("submit_answers", { runId: "r", answers });

  expect(bodies).toMatchObject([
    {
      results: [
        { idempotencyKey: "r:case-3:run-1", questionIndex: 3, output: { text: "Paris" } },
        { idempotencyKey: "r:case-4:run-2", runNumber: 2, error: { message: "no idea" }, traceId: "t" },
        { idempotencyKey: "r:case-5:run-1" },
      ],
    },
  ]);
  expect(JSON.parse(facts ?? "")).toEqual({
    ...{ runId: "r", accepted: 2, duplicates: 0, failedValidation: 1 },
    ...{ missing: 150, status: "in_progress", averageRating: 6 },
  });
  expect(recorded).toMatch(/"case":3,.*"case":5,/s);
  expect(sent.filter((one) => one.endsWith("/finalize"))).toEqual([]);
  const [ended] = await run("submit_answers", { runId: "r", answers, finish: true });
  expect(JSON.parse(ended ?? "")).toMatchObject({ status: "completed", averageRating: 7 });
});

test("a malformed answer is named before anything is submitted", async () => {
  sent.length = 0;
  for (const none of [{ case: 1 }, { case: 1, answer: "a", error: "b" }]) {
    const [facts] = await run("submit_answers", { runId: "r", answers: [{ case: 0, answer: "a" }, none] });
    expect(facts).toContain("Each answer needs answer or error");
  }
  expect(sent).toEqual([]);
  const [facts] = await run("submit_answers", { runId: "r", answers: [{ case: 150, answer: "a" }] });
  expect(facts).toContain("asks for no case 150, runNumber 1");
  expect(sent.filter((one) => one.startsWith("POST"))).toEqual([]);
});
