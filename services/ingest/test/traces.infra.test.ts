import { sessionSpans, submitTraceReply, traceDetail, traceList, workspaceIgnored } from "@touchstone/contracts";
import { scanMembers, uuidv7 } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, objectText } from "./json-arbitrary.ts";
import { type Reply, startIngest, useIngest } from "./running-ingest.ts";

/** JSON values that are sent and read back literal by literal. */
const losslessValues = 6_000;

const { database, ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const list = (projectId: string, query = ""): Promise<Reply> =>
  ingest.call(projectId, "GET", `/api/v1/ingest/traces${query}`);
const detail = (projectId: string, id: string): Promise<Reply> =>
  ingest.call(projectId, "GET", `/api/v1/ingest/traces/${id}`);
const session = (projectId: string, id: string): Promise<Reply> =>
  ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${encodeURIComponent(id)}/spans`);

describe("POST /ingest/traces", () => {
  test("a trace is committed before the answer and listed at once", {
    tags: ["spec:ingest.synchronous", "spec:ingest.201", "spec:traces.get"],
  }, async () => {
    const projectId = newProject();
    const submitted = await ingest.submit(projectId, {
      name: "weather agent",
      input: { question: "Paris?" },
      output: "Sunny.",
      latency_ms: 120.4567,
      framework: " LangChain ",
      model: "gpt-5",
      tool_calls: [{ name: "get_weather", input: { city: "Paris" }, output: 18, latency_ms: 7 }],
      session_id: "s1",
      metadata: { team: "a" },
      performance_summary: { llm_calls: 1 },
      input_tokens: 120,
      output_tokens: 24,
      cache_read_tokens: 64,
      timestamp: "2026-01-02T03:04:05.678Z",
      span_id: "span-1",
    });

    expect(submitted.status).toBe(201);
    expect(submitTraceReply.parse(submitted.json)).toEqual({
      trace_id: submitted.json.traceId,
      traceId: expect.any(String),
      reference_agent_id: expect.any(String),
      queued: false,
      deduped: false,
    });
    const page = traceList.parse((await list(projectId)).json);
    const item = {
      _id: submitted.json.traceId,
      name: "weather agent",
      input: { question: "Paris?" },
      output: "Sunny.",
      latencyMs: 120.457,
      framework: "langchain",
      model: "gpt-5",
      toolCalls: [{ name: "get_weather", input: { city: "Paris" }, output: 18, latencyMs: 7, success: true }],
      sessionId: "s1",
      spanId: "span-1",
      spanKind: "llm",
      judgeScores: null,
      source: "sdk",
      createdAt: "2026-01-02T03:04:05.678Z",
      inputTokens: 120,
      outputTokens: 24,
    };
    expect(page).toEqual({ totalCount: 1, traces: [item], hasNextPage: false, nextCursor: null });
    const full = await detail(projectId, submitted.json.traceId);
    expect(full.status).toBe(200);
    expect(traceDetail.strict().parse(full.json)).toEqual({
      ...item,
      scores: [],
      metadata: { team: "a" },
      performanceSummary: { llm_calls: 1 },
      cacheReadTokens: 64,
      estimatedCostUSD: null,
      agentId: submitted.json.reference_agent_id,
    });
  });

  test("a trace with only a name omits absent fields", { tags: ["spec:trace.optional-omitted"] }, async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "bare" });

    expect(Object.keys((await list(projectId)).json.traces[0]).toSorted()).toEqual(
      ["_id", "createdAt", "inputTokens", "judgeScores", "name", "outputTokens", "source", "spanKind"].toSorted(),
    );
  });

  test("a replay gets the first trace, and sixty at once store one", { tags: ["spec:retry.trace"] }, async () => {
    const projectId = newProject();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, turn) => ingest.submit(projectId, { name: `a${turn}`, spanId: "same" })),
    );

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ json }) => json.trace_id)).size).toBe(1);
    expect(new Set(replies.map(({ json }) => json.reference_agent_id)).size).toBe(1);
    expect(replies.filter(({ json }) => !json.deduped)).toHaveLength(1);
    expect((await list(projectId)).json).toMatchObject({ totalCount: 1 });
  });

  test("a child has no agent, is not listed, and belongs to its session", {
    tags: ["spec:trace.parentSpanId"],
  }, async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "root", span_id: "r", session_id: "s" });
    const child = await ingest.submit(projectId, { name: "child", span_id: "c", parent_span_id: "r", session_id: "s" });

    expect(child.json.reference_agent_id).toBeNull();
    expect((await list(projectId)).json.traces.map((trace: { name: string }) => trace.name)).toEqual(["root"]);
    const { spans } = sessionSpans.parse((await session(projectId, "s")).json);
    expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ["root", undefined],
      ["child", "r"],
    ]);
    expect((await detail(projectId, child.json.trace_id)).json).toMatchObject({ name: "child", agentId: null });
  });

  test("a start in the past dates the trace, one in the future does not", async () => {
    const projectId = newProject();
    const beforeMs = Date.now();
    await ingest.submit(projectId, { name: "past", started_at_unix_nano: "1763690000123456789" });
    await ingest.submit(projectId, { name: "future", timestamp: "2100-01-01T00:00:00Z" });

    const { traces } = (await list(projectId)).json;
    expect(traces.map((trace: { name: string }) => trace.name)).toEqual(["future", "past"]);
    expect(traces[1]).toMatchObject({ startedAt: "2025-11-21T01:53:20.123Z", createdAt: "2025-11-21T01:53:20.123Z" });
    expect(Date.parse(traces[0].createdAt)).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(traces[0].createdAt)).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ["not JSON", '{"name":', 400, { statusCode: 400, message: "Unexpected end of JSON input" }],
    ["empty", " ", 400, { statusCode: 400, message: "The request body is empty; JSON is expected." }],
    [
      "no trace",
      "{}",
      422,
      { error: "Invalid trace payload", details: { fieldErrors: { name: ["Required"] }, formErrors: [] } },
    ],
    [
      "an array",
      "[]",
      422,
      {
        error: "Invalid trace payload",
        details: { fieldErrors: {}, formErrors: ["Expected object, received array"] },
      },
    ],
    ["another workspace's", `{"workspaceId":"${uuidv7(0)}"}`, 403, { error: "Unauthorized workspace access" }],
    ["of no valid workspace", '{"workspaceId":1}', 403, { error: "Could not resolve a valid workspace" }],
    [
      "of an agent that is not there",
      '{"name":"x","agent_id":"nobody"}',
      403,
      { error: "Agent not found in workspace or insufficient permissions" },
    ],
  ])("a body that is %s is refused and nothing is stored", async (_what, body, status, expected) => {
    const projectId = newProject();
    const reply = await ingest.submit(projectId, body);

    expect([reply.status, reply.json]).toEqual([status, expected]);
    expect((await list(projectId)).json.totalCount).toBe(0);
  });

  test("invalid UTF-8 is 400, another content type 415", async () => {
    const projectId = newProject();
    const post = (body: Buffer, headers = {}) =>
      ingest.call(projectId, "POST", "/api/v1/ingest/traces", { body, headers });

    expect((await post(Buffer.from([0x7b, 0xff, 0x7d]))).status).toBe(400);
    expect((await post(Buffer.from("{}"), { "content-type": "text/plain" })).status).toBe(415);
  });

  test("a workspace of another system is ignored with a warning, so that its client loses nothing", async () => {
    const projectId = newProject();
    for (const body of ['{"name":"x","workspaceId":"6650f0a2"}', '{"name":"x","workspace_id":"ws_live_1"}']) {
      const reply = await ingest.submit(projectId, body);
      expect([reply.status, reply.headers.get("x-touchstone-warning")]).toEqual([201, workspaceIgnored]);
    }
    expect((await list(projectId)).json.totalCount).toBe(2);
  });

  test("the workspace may be named by the project's id or as local", async () => {
    const projectId = newProject();
    for (const workspaceId of [projectId, "local"]) {
      expect((await ingest.submit(projectId, { name: "x", workspaceId })).status).toBe(201);
    }
  });

  test("an agent may be picked by its id or its name", async () => {
    const projectId = newProject();
    const { reference_agent_id: agentId } = (await ingest.submit(projectId, { name: "planner" })).json;
    for (const agent_id of [agentId, "planner"]) {
      const reply = await ingest.submit(projectId, { name: "another name", agent_id });
      expect(reply.json.reference_agent_id).toBe(agentId);
    }
    expect((await ingest.submit(newProject(), { name: "x", agent_id: agentId })).status).toBe(403);
  });

  test("a list of pattern ids and a wish for monitoring are accepted", async () => {
    const projectId = newProject();
    const reply = await ingest.submit(projectId, { name: "x", monitor: true, pattern_ids: ["p"] });
    expect(reply.status).toBe(201);
  });
});

describe("any JSON", () => {
  test("comes back with every literal as it was sent", { timeout: 120_000 }, async () => {
    const projectId = newProject();
    const parts = fc.record({
      input: jsonText(),
      output: jsonText(),
      metadata: objectText(),
      performance_summary: objectText(),
      toolInput: jsonText(),
      toolOutput: jsonText(),
    });
    const samples = fc.sample(parts, { numRuns: Math.ceil(losslessValues / 6), seed: 20261121 });
    for (let start = 0; start < samples.length; start += 50) {
      const round = samples.slice(start, start + 50);
      await Promise.all(
        round.map(async (sent) => {
          const body = `{"name":"x","input":${sent.input},"output":${sent.output},"metadata":${sent.metadata},
            "performance_summary":${sent.performance_summary},
            "tool_calls":[{"input":${sent.toolInput},"output":${sent.toolOutput}}]}`;
          const { json, text } = await ingest.submit(projectId, body);
          expect(json?.trace_id, text).toBeTruthy();
          const read = scanMembers((await detail(projectId, json.trace_id)).text).members;
          expect(read?.get("input")?.text).toBe(sent.input);
          expect(read?.get("output")?.text).toBe(sent.output);
          expect(read?.get("metadata")?.text).toBe(sent.metadata);
          expect(read?.get("performanceSummary")?.text).toBe(sent.performance_summary);
          expect(read?.get("toolCalls")?.text).toBe(
            `[{"input":${sent.toolInput},"output":${sent.toolOutput},"success":true}]`,
          );
        }),
      );
    }
  });

  test("of megabytes comes back whole, in the detail and in the list", async () => {
    const projectId = newProject();
    const input = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => `wörd ${index * 7919}`));
    const { json } = await ingest.submit(projectId, `{"name":"large","input":${input}}`);

    expect(scanMembers((await detail(projectId, json.trace_id)).text).members?.get("input")?.text).toBe(input);
    expect((await list(projectId)).json.traces[0].input).toEqual(JSON.parse(input));
  });
});

describe("GET /ingest/traces", () => {
  test("pages through equal times, each trace once and in order, and counts them all", {
    tags: ["spec:traces.list.order", "spec:traces.list.cursor", "spec:traces.list.totalCount"],
  }, async () => {
    const projectId = newProject();
    const sent = Array.from({ length: 30 }, (_, index) => ({
      name: `t${index}`,
      timestamp: `2026-03-0${1 + Math.floor(index / 10)}T00:00:00Z`,
    }));
    await Promise.all(sent.map((trace) => ingest.submit(projectId, trace)));

    const seen: { _id: string; createdAt: string }[] = [];
    let cursor = "";
    do {
      const { json } = await list(projectId, `?limit=7${cursor}`);
      expect(json.totalCount).toBe(30);
      seen.push(...json.traces);
      expect(json.hasNextPage).toBe(json.nextCursor !== null);
      cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");

    expect(new Set(seen.map(({ _id }) => _id)).size).toBe(30);
    expect(seen.map(({ createdAt }) => createdAt)).toEqual(
      sent
        .map(({ timestamp }) => timestamp.replace("Z", ".000Z"))
        .toSorted()
        .reverse(),
    );
  });

  test.each([
    ["?limit=2", 2],
    ["?limit=0", 1],
    ["?limit=-3", 1],
    ["?limit=abc", 3],
    ["?limit=", 3],
    ["?limit=1e9", 3],
    ["?limit=2&limit=1", 2],
    ["?cursor=", 3],
    ["?framework=%20LANGCHAIN", 1],
    ["?framework=none", 0],
    ["?framework=a%00b", 0],
    ["?source=production", 2],
    ["?source=eval", 1],
    ["?source=nonsense", 3],
  ])("%s", async (query, expected) => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "a", framework: "langchain" });
    await ingest.submit(projectId, { name: "b", source: "eval-run" });
    await ingest.submit(projectId, { name: "c" });

    expect((await list(projectId, query)).json.traces).toHaveLength(expected);
  });

  test("evaluation traffic is marked, production traffic is not", { tags: ["spec:trace.trafficSource"] }, async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "a", source: "eval-run" });
    await ingest.submit(projectId, { name: "b", source: "other" });

    const { traces } = (await list(projectId)).json;
    expect(traces.map((trace: { trafficSource?: string }) => trace.trafficSource)).toEqual([undefined, "eval-run"]);
  });

  test.each(["x", "%00", "00000000-0000-7000-8000-00000000000G"])(
    "the malformed cursor %j is an error of the client",
    async (cursor) => {
      const reply = await list(newProject(), `?cursor=${cursor}`);
      expect([reply.status, reply.json]).toEqual([400, { error: "Unknown cursor" }]);
    },
  );
});

describe("a missing object", () => {
  test.each(["x", "00000000-0000-7000-8000-000000000000", "%00", "..%2f"])("the trace %s is 404", async (id) => {
    const reply = await detail(newProject(), id);
    expect([reply.status, reply.json]).toEqual([404, { error: "Trace not found" }]);
  });

  test.each(["x", "00000000-0000-7000-8000-000000000000"])(
    "the agent %s is 404",
    { tags: ["spec:agents.get.404"] },
    async (id) => {
      const reply = await ingest.call(newProject(), "GET", `/api/v1/agents/${id}`);
      expect([reply.status, reply.json]).toEqual([404, { error: "Agent not found" }]);
    },
  );

  test.each(["unknown", "a\0b", "é/../x", "界".repeat(512)])("the session %j has no spans", async (id) => {
    const reply = await session(newProject(), id);
    expect([reply.status, reply.json]).toEqual([200, { spans: [], scores: [] }]);
  });
});

describe("another project", () => {
  test("sees no traces, sessions or agents, and its spans are its own", { tags: ["spec:auth.key"] }, async () => {
    const [own, foreign] = [newProject(), newProject()];
    const { json } = await ingest.submit(own, { name: "secret", span_id: "s", session_id: "shared" });

    expect((await detail(foreign, json.trace_id)).status).toBe(404);
    expect((await ingest.call(foreign, "GET", `/api/v1/agents/${json.reference_agent_id}`)).status).toBe(404);
    expect((await session(foreign, "shared")).json).toEqual({ spans: [], scores: [] });
    expect((await list(foreign)).json).toMatchObject({ totalCount: 0, traces: [] });
    expect((await list(foreign, `?cursor=${json.trace_id}`)).json.traces).toEqual([]);
    const same = await ingest.submit(foreign, { name: "secret", span_id: "s" });
    expect(same.json).toMatchObject({ deduped: false });
    expect(same.json.reference_agent_id).not.toBe(json.reference_agent_id);
  });
});

test("an agent is read by its id", async () => {
  const projectId = newProject();
  const { reference_agent_id: agentId } = (await ingest.submit(projectId, { name: "planner" })).json;
  const reply = await ingest.call(projectId, "GET", `/api/v1/agents/${agentId}`);

  expect(reply.json).toEqual({ agent: { _id: agentId, name: "planner", createdAt: expect.stringMatching(/Z$/) } });
});

test("an operator who caps fields gets them cut visibly, metadata excepted", async () => {
  const capped = await startIngest({ databaseUrl: database.url, config: { fieldCharsMax: 1_000 } });
  await capped.ready();
  const projectId = newProject();
  const long = "x".repeat(5_000);
  const { json } = await capped.submit(projectId, { name: "x", input: long, metadata: { long } });
  const read = (await detail(projectId, json.trace_id)).json;
  await capped.stop();

  expect(read.input).toMatch(/^x+… \[truncated, \d+ characters dropped\]$/);
  expect(read.metadata).toEqual({ long });
});
