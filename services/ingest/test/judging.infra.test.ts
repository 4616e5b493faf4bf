import { randomBytes } from "node:crypto";
import { internalRoutes, type JudgedTrace, type ScriptTrace } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { readFixture } from "./otlp/corpus.ts";
import { useIngest, useMonitor } from "./running-ingest.ts";

const { ingest } = useIngest();
const monitor = useMonitor(ingest);

/** A separate project, and its traces as eval-runs reads them. */
function open() {
  const projectId = uuidv7(Date.now());
  return {
    async submit(trace: object): Promise<string> {
      const { status, json } = await ingest.submit(projectId, trace);
      expect(status).toBe(201);
      return json.trace_id;
    },
    async sendCapture(file: string): Promise<string> {
      const { status } = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", {
        body: readFixture(file),
        headers: { "content-type": "application/x-protobuf" },
      });
      expect(status).toBe(200);
      return (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.traces[0]._id;
    },
    async readForScripts(traceId: string): Promise<ScriptTrace | null> {
      const options = { requestId: "request", deadlineMs: 20_000 };
      return (await monitor.call(internalRoutes.readTraceForScripts, { projectId, traceId }, options)).trace;
    },
    async read(traceId: string, more: object = {}): Promise<JudgedTrace | null> {
      const query = { projectId, traceId, ...more };
      const options = { requestId: "request", deadlineMs: 20_000 };
      return (await ingest.ask(internalRoutes.readTraceForJudging, query, options)).trace;
    },
  };
}

const at = (second: number): string => `2026-11-20T10:00:${String(second).padStart(2, "0")}Z`;

test("an agent recorded by OpenTelemetry has its steps, calls, tools and documents", async () => {
  const project = open();
  const trace = await project.read(await project.sendCapture("openinference-openai/01.traces.bin"));

  expect(trace).toMatchObject({
    name: "weather-agent",
    input: "What is the weather in Paris?",
    output: "It is 18 °C and sunny in Paris.",
    error: null,
    inputTokens: 240,
    outputTokens: 48,
    retrieval: { source: "spans", texts: ["Paris is mild in autumn.", "Lyon is warm."] },
  });
  const { steps, omittedSteps, toolCalls, toolDefinitions } = (trace as JudgedTrace).trajectory;
  expect(steps.map(({ depth, name, kind }) => [depth, name, kind])).toEqual([
    [0, "weather-agent", "agent"],
    [1, "guard", "guardrail"],
    [1, "retrieve", "retrieval"],
    [1, "rerank", "reranker"],
    [1, "OpenAI Chat Completions", "llm"],
    [1, "get_weather", "tool"],
    [1, "OpenAI Chat Completions", "llm"],
  ]);
  expect(steps[5]).toMatchObject({ model: null, input: '{"city":"Paris"}', output: '{"temperature":18}', error: null });
  expect(steps[4]?.model).toBe("gpt-4.1-mini-2025-04-14");
  expect(omittedSteps).toBe(0);
  expect(toolCalls).toMatchObject([
    { name: "get_weather", input: { city: "Paris" }, output: { temperature: 18 }, success: true },
  ]);
  expect(toolDefinitions).toMatchObject([{ name: "get_weather" }]);
  expect(JSON.parse(toolDefinitions[0]?.definition as string)).toMatchObject({
    description: "Get weather",
    parameters: { required: ["city"] },
  });
});

describe("a tree of REST spans", () => {
  test("is in start order with its depths, in any order of arrival", async () => {
    const project = open();
    const child = (span_id: string, parent_span_id: string, second: number, more: object = {}) =>
      project.submit({ name: span_id, span_id, parent_span_id, started_at: at(second), ...more });
    await child("search", "plan", 3, { span_kind: "tool", error: "no such index", latency_ms: 12 });
    await child("answer", "root", 5, { model: "gpt-4o", output: { text: "Tuesday" } });
    const traceId = await project.submit({ name: "agent", span_id: "root", started_at: at(1), input: "When?" });
    // Its clock is behind: no span comes before its parent.
    await child("plan", "root", 0);
    await child("other tree", "elsewhere", 2);

    const trace = await project.read(traceId);

    expect(trace?.trajectory.steps).toMatchObject([
      { depth: 0, name: "agent", input: "When?", output: null },
      { depth: 1, name: "plan" },
      { depth: 2, name: "search", kind: "tool", latencyMs: 12, error: "no such index" },
      { depth: 1, name: "answer", model: "gpt-4o", output: '{"text":"Tuesday"}' },
    ]);
  });

  test("starts at the requested span", async () => {
    const project = open();
    await project.submit({ name: "root", span_id: "r", started_at: at(1) });
    const traceId = await project.submit({ name: "plan", span_id: "p", parent_span_id: "r", started_at: at(2) });
    await project.submit({ name: "search", span_id: "s", parent_span_id: "p", started_at: at(3) });

    const steps = (await project.read(traceId))?.trajectory.steps;

    expect(steps?.map(({ depth, name }) => [depth, name])).toEqual([
      [0, "plan"],
      [1, "search"],
    ]);
  });

  test("that goes in a circle ends where it began", async () => {
    const project = open();
    const traceId = await project.submit({ name: "one", span_id: "1", parent_span_id: "2", started_at: at(1) });
    await project.submit({ name: "two", span_id: "2", parent_span_id: "1", started_at: at(2) });

    expect((await project.read(traceId))?.trajectory.steps.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("of more than forty spans has the first forty and the number of the others", async () => {
    const project = open();
    const traceId = await project.submit({ name: "root", span_id: "r", started_at: at(0) });
    await Promise.all(
      Array.from({ length: 44 }, (_, index) =>
        project.submit({
          name: `step ${index + 1}`,
          span_id: `s${index}`,
          parent_span_id: "r",
          started_at: at(index + 1),
        }),
      ),
    );

    const trajectory = (await project.read(traceId))?.trajectory;

    expect(trajectory?.steps).toHaveLength(40);
    expect(trajectory?.steps.at(-1)?.name).toBe("step 39");
    expect(trajectory?.omittedSteps).toBe(5);
  });

  test("has the beginnings of long texts, marked as cut and without half a character", async () => {
    const project = open();
    const traceId = await project.submit({ name: "root", span_id: "r", input: `${"x".repeat(299)}😀` });
    await project.submit({ name: "child", span_id: "c", parent_span_id: "r", output: ["y".repeat(400)] });

    const steps = (await project.read(traceId))?.trajectory.steps;

    expect(steps?.map(({ input, output }) => [input, output])).toEqual([
      [`${"x".repeat(299)}...`, null],
      [null, `["${"y".repeat(298)}...`],
    ]);
  });
});

describe("a trace without a tree", () => {
  test("has no steps, but its calls as it shows them", async () => {
    const project = open();
    const traceId = await project.submit({
      name: "agent",
      input: { question: "When?" },
      output: null,
      tool_calls: [
        { name: "search", input: { q: 1 }, output: ["a"], latency_ms: 5 },
        { name: "send", error: "refused", note: "kept" },
        // Not a regular call, but accepted.
        { name: 7, success: "yes", error: { code: 1 } },
      ],
    });

    const trace = await project.read(traceId);

    expect(trace).toMatchObject({ input: '{"question":"When?"}', output: null, retrieval: null });
    expect(trace?.trajectory).toEqual({
      steps: [],
      omittedSteps: 0,
      toolCalls: [
        { name: "search", input: { q: 1 }, output: ["a"], success: true, latencyMs: 5 },
        { name: "send", success: false, error: "refused", note: "kept" },
        { name: "", error: '{"code":1}' },
      ],
      toolDefinitions: [],
    });
  });

  test("keeps the names of calls whose values are too long for a judge", async () => {
    const project = open();
    const long = { name: "read", output: "x".repeat(700_000) };
    const traceId = await project.submit({ name: "agent", tool_calls: [long, long, { name: "send", input: 1 }] });

    const calls = (await project.read(traceId))?.trajectory.toolCalls;

    expect(calls?.map(({ name, output }) => [name, String(output).length > 1000])).toEqual([
      ["read", true],
      ["read", false],
      ["send", false],
    ]);
    expect(calls?.[2]?.input).toBe(1);
  });
});

describe("the retrieved documents", () => {
  test.each([
    ["a text", "Rome", ["Rome"]],
    ["texts", ["Rome", " ", "Oslo"], ["Rome", "Oslo"]],
    [
      "documents of many shapes",
      [{ text: "Rome" }, { document: { page_content: "Oslo" } }, { id: 1 }],
      ["Rome", "Oslo", '{"id":1}'],
    ],
    ["a list inside an object", { documents: [{ content: "Rome" }] }, ["Rome"]],
    ["some other JSON", { hits: 0 }, ['{"hits":0}']],
  ])("is read of a retrieval span's %s", async (_shape, output, texts) => {
    const project = open();
    const traceId = await project.submit({ name: "root", span_id: "r", metadata: { retrievalContext: "of metadata" } });
    await project.submit({ name: "find", span_id: "f", parent_span_id: "r", span_kind: "retrieval", output });

    expect((await project.read(traceId))?.retrieval).toEqual({ source: "spans", texts });
  });

  test("is the metadata's where no retrieval span found anything", async () => {
    const project = open();
    const metadata = { retrievalContext: ["Rome", "Oslo"] };
    const traceId = await project.submit({ name: "root", span_id: "r", metadata });
    await project.submit({ name: "find", span_id: "f", parent_span_id: "r", span_kind: "retrieval", output: [] });

    expect((await project.read(traceId))?.retrieval).toEqual({ source: "metadata", texts: ["Rome", "Oslo"] });
  });

  test("is read of large spans slice by slice, and kept up to a bound", async () => {
    const project = open();
    const output = randomBytes(6_000_000).toString("base64");
    const traceId = await project.submit({ name: "root", span_id: "r", started_at: at(0) });
    for (const second of [1, 2, 3]) {
      const place = { span_id: `f${second}`, parent_span_id: "r", started_at: at(second) };
      await project.submit({ name: `find ${second}`, ...place, span_kind: "retrieval", output });
    }

    const trace = await project.read(traceId);

    expect(trace?.trajectory.steps.map(({ name }) => name)).toEqual(["root", "find 1", "find 2", "find 3"]);
    expect(trace?.retrieval?.texts.map((text) => text.length)).toEqual([1024 * 1024]);
  });
});

test("a large input is left out for callers that do not need it", async () => {
  const project = open();
  const traceId = await project.submit({ name: "agent", input: "When?", output: "Now." });

  expect(await project.read(traceId, { withContent: false })).toMatchObject({
    name: "agent",
    input: null,
    output: null,
  });
  expect(await project.read(traceId)).toMatchObject({ input: "When?", output: "Now." });
  expect(await project.read(traceId, { contentMaxChars: 3 })).toMatchObject({ input: expect.stringMatching(/^.{3}$/) });
});

test("for a program a trace comes with its spans, and long values are cut to a text", async () => {
  const project = open();
  const tool = { span_id: "t", parent_span_id: "r", started_at: at(1), span_kind: "tool" };
  const traceId = await project.submit({
    name: "agent",
    span_id: "r",
    started_at: at(0),
    input: { q: 1 },
    output: "Now.",
  });
  await project.submit({ name: "look", ...tool, input: { q: "x" }, output: "y".repeat(100_000), metadata: { a: [1] } });

  const trace = await project.readForScripts(traceId);
  expect(trace).toMatchObject({ traceId, name: "agent", input: '{"q":1}', output: "Now.", metadata: null });
  expect(trace?.spans).toMatchObject([
    { span_id: "r", parent_span_id: null, name: "agent", input: { q: 1 }, started_at: "2026-11-20T10:00:00.000Z" },
    { span_id: "t", parent_span_id: "r", name: "look", type: "tool", input: { q: "x" }, metadata: { a: [1] } },
  ]);
  expect(trace?.spans[1]?.output).toBe("y".repeat(64 * 1024));
  expect(await open().readForScripts(traceId)).toBeNull();
});

test("an invalid id, an unknown one and another project's have the same answer", async () => {
  const foreign = await open().submit({ name: "agent" });
  const project = open();

  for (const traceId of ["nonsense", "a\0b", uuidv7(Date.now()), foreign]) {
    expect(await project.read(traceId)).toBeNull();
  }
});
