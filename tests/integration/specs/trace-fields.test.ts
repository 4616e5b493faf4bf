import { agentReply, projectReply, sessionSpans, spanKind, submitTraceReply, traceDetail } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { type ApiClient, createClient } from "../src/client.ts";
import { useCombined } from "../src/use-combined.ts";

const { system, client } = useCombined();

type Shown = Record<string, unknown>;

async function createProject(): Promise<{ id: string; own: ApiClient }> {
  const body = { name: "a project of one test" };
  const { project } = await client.expect({ status: 201, schema: projectReply }, "POST", "/projects", body);
  return { id: project._id, own: createClient({ url: system.url, apiKey: project.apiKey }) };
}

const submit = (body: Shown, by = client) =>
  by.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", body);

async function list(query = "", by = client) {
  const answer = await by.send("GET", `/ingest/traces${query}`);
  expect(answer.status).toBe(200);
  return answer.body as { totalCount: number; traces: Shown[]; hasNextPage: boolean; nextCursor: string | null };
}

/** Submits a root and reads it back with all its members: in the list and by its id. */
async function store(body: Shown): Promise<{ listed: Shown; detail: Shown }> {
  const { trace_id: id } = await submit({ name: "agent", ...body });
  const { traces } = await list("?limit=100");
  const detail = (await client.send("GET", `/ingest/traces/${id}`)).body as Shown;
  return { listed: traces.find(({ _id }) => _id === id) as Shown, detail };
}

describe("an optional field is shown if it was sent, and omitted otherwise", () => {
  const call = { name: "get_weather", input: { city: "Paris" }, output: 18 };
  const fields: [what: string, tags: string[], sent: Shown, shown: Shown][] = [
    ["latency_ms", ["spec:trace.latencyMs", "spec:ingest.latency_ms"], { latency_ms: 120.5 }, { latencyMs: 120.5 }],
    ["error", ["spec:trace.error", "spec:ingest.error"], { error: "no answer" }, { error: "no answer" }],
    [
      "framework, trimmed and in lower case",
      ["spec:trace.framework", "spec:ingest.framework"],
      { framework: "  My OWN framework " },
      { framework: "my own framework" },
    ],
    ["model", ["spec:trace.model", "spec:ingest.model"], { model: "GPT-5" }, { model: "GPT-5" }],
    [
      "tool_calls, with a success flag",
      ["spec:trace.toolCalls", "spec:ingest.tool_calls"],
      { tool_calls: [call, { ...call, error: "down" }] },
      {
        toolCalls: [
          { ...call, success: true },
          { ...call, error: "down", success: false },
        ],
      },
    ],
    ["session_id", ["spec:trace.sessionId", "spec:ingest.session_id"], { session_id: "chat" }, { sessionId: "chat" }],
    ["spanId", ["spec:trace.spanId"], { spanId: "span 1" }, { spanId: "span 1" }],
    [
      "started_at",
      ["spec:trace.startedAt"],
      { started_at: "2026-01-02T03:04:05.678+01:00" },
      { startedAt: "2026-01-02T02:04:05.678Z" },
    ],
    ["source eval-run", ["spec:trace.trafficSource"], { source: "eval-run" }, { trafficSource: "eval-run" }],
    ["input", ["spec:trace.input"], { input: { question: "Paris?" } }, { input: { question: "Paris?" } }],
    ["output", ["spec:trace.output"], { output: ["Sunny.", 18] }, { output: ["Sunny.", 18] }],
  ];
  for (const [what, tags, sent, shown] of fields) {
    test(what, { tags: ["spec:trace.optional-omitted", ...tags] }, async () => {
      const [{ listed, detail }, bare] = [await store(sent), await store({})];

      expect(listed).toMatchObject(shown);
      expect(detail).toMatchObject(shown);
      for (const field of Object.keys(shown)) {
        expect(bare.listed).not.toHaveProperty(field);
        expect(bare.detail).not.toHaveProperty(field);
      }
    });
  }

  test("parent_span_id, which makes it a child span instead of a root", {
    tags: ["spec:trace.parentSpanId"],
  }, async () => {
    await submit({ name: "root", span_id: "the root" });
    const { trace_id: id } = await submit({ name: "child", span_id: "its child", parent_span_id: "the root" });

    const { body } = await client.send("GET", `/ingest/traces/${id}`);
    expect(body).toMatchObject({ name: "child", parentSpanId: "the root" });
    const { traces } = await list("?limit=100");
    expect(traces.find(({ name }) => name === "child")).toBeUndefined();
    expect(traces.find(({ name }) => name === "root")).not.toHaveProperty("parentSpanId");
  });
});

describe("a field that is always there", () => {
  test("the id is the one in the answer to the submission, and the name is unchanged", {
    tags: ["spec:trace.id", "spec:trace.name", "spec:traces.get", "spec:ingest.synchronous"],
  }, async () => {
    const { trace_id: id } = await submit({ name: "the planner" });

    expect((await list("?limit=1")).traces).toMatchObject([{ _id: id, name: "the planner" }]);
    const detail = await client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${id}`);
    expect(detail).toMatchObject({ _id: id, name: "the planner" });
  });

  test.each(spanKind.options)("the span kind %s", { tags: ["spec:trace.spanKind"] }, async (kind) => {
    const { listed, detail } = await store({ span_kind: kind });
    expect([listed.spanKind, detail.spanKind]).toEqual([kind, kind]);
  });

  test.each([{}, { span_kind: "spaceship" }, { model: "gpt-5" }])(
    "the span kind of %j is one of the eleven",
    { tags: ["spec:trace.spanKind"] },
    async (body) => {
      expect(spanKind.options).toHaveLength(11);
      expect(spanKind.options).toContain((await store(body)).listed.spanKind);
    },
  );

  test("the source is sdk, whatever was sent", { tags: ["spec:trace.source"] }, async () => {
    for (const body of [{}, { source: "eval-run" }, { source: "other" }]) {
      const { listed, detail } = await store(body);
      expect([listed.source, detail.source]).toEqual(["sdk", "sdk"]);
    }
  });

  test("tokens are shown above zero and are null otherwise", {
    tags: [
      "spec:trace.inputTokens",
      "spec:trace.outputTokens",
      "spec:ingest.input_tokens",
      "spec:ingest.output_tokens",
    ],
  }, async () => {
    const counted = await store({ input_tokens: 120, output_tokens: 24 });
    for (const shown of [counted.listed, counted.detail]) {
      expect(shown).toMatchObject({ inputTokens: 120, outputTokens: 24 });
    }
    for (const body of [{}, { input_tokens: 0, output_tokens: 0 }, { input_tokens: -3, output_tokens: -1 }]) {
      const { listed, detail } = await store(body);
      for (const shown of [listed, detail]) expect(shown).toMatchObject({ inputTokens: null, outputTokens: null });
    }
  });

  test("createdAt is the timestamp that was sent, or else now", {
    tags: ["spec:trace.createdAt", "spec:ingest.timestamp"],
  }, async () => {
    const beforeMs = Date.now();
    const [imported, live] = [await store({ timestamp: "2025-11-21T01:53:20Z" }), await store({})];

    expect(imported.listed.createdAt).toBe("2025-11-21T01:53:20.000Z");
    expect(imported.detail.createdAt).toBe("2025-11-21T01:53:20.000Z");
    expect(live.listed.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(live.listed.createdAt as string)).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(live.listed.createdAt as string)).toBeLessThanOrEqual(Date.now());
  });
});

describe("only the detail shows", () => {
  test("metadata and the performance summary, as they were sent", {
    tags: [
      "spec:trace.detail.metadata",
      "spec:trace.detail.performanceSummary",
      "spec:ingest.metadata",
      "spec:ingest.performance_summary",
    ],
  }, async () => {
    const metadata = { zeta: [1, null], alpha: { "2": "b", "1": "a" } };
    const performance_summary = { llm_calls: 3, LatencyMs: { p50: 1.25 } };
    const { detail } = await store({ metadata, performance_summary });

    expect(JSON.stringify(detail.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify(detail.performanceSummary)).toBe(JSON.stringify(performance_summary));
  });

  test("metadata of megabytes, because only the body's limit bounds it", {
    tags: ["spec:limit.metadata", "spec:ingest.metadata"],
  }, async () => {
    const metadata = { blob: "x".repeat(9 * 1024 * 1024) };
    const { trace_id: id } = await submit({ name: "large", metadata });

    const { body } = await client.send("GET", `/ingest/traces/${id}`);
    expect((body as { metadata: { blob: string } }).metadata.blob === metadata.blob).toBe(true);
  });

  test("the tokens of the cache", { tags: ["spec:trace.detail.cacheTokens"] }, async () => {
    const { detail } = await store({ cache_read_tokens: 64, cache_write_tokens: 32 });
    expect(detail).toMatchObject({ cacheReadTokens: 64, cacheWriteTokens: 32 });
  });

  test("a cost, which is null without a price or without tokens", {
    tags: ["spec:trace.detail.estimatedCostUSD"],
  }, async () => {
    for (const body of [{}, { model: "gpt-5" }, { model: "nobody's model", input_tokens: 1, output_tokens: 1 }]) {
      expect((await store(body)).detail.estimatedCostUSD).toBeNull();
    }
  });
});

describe("submitting a trace", () => {
  test("answers 201 with the trace, its agent and that nothing is queued", { tags: ["spec:ingest.201"] }, async () => {
    const answer = await client.send("POST", "/ingest/traces", { name: "agent" });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      trace_id: expect.any(String),
      reference_agent_id: expect.any(String),
      queued: false,
    });
  });

  test.each(
    [null, false, 0, -1.5, "", "text", [], [[], {}], {}, { deep: { er: [1, "2", null] } }].map((value) => [value]),
  )(
    "accepts %j as input and as output",
    { tags: ["spec:ingest.input", "spec:ingest.output", "spec:trace.input", "spec:trace.output"] },
    async (value) => {
      const { listed, detail } = await store({ input: value, output: value });
      expect([listed.input, listed.output, detail.input, detail.output]).toEqual([value, value, value, value]);
    },
  );

  test("keeps fifty tool calls and drops the rest silently", {
    tags: ["spec:ingest.tool_calls", "spec:limit.tool-calls"],
  }, async () => {
    const calls = Array.from({ length: 60 }, (_, index) => ({ name: `call ${index}` }));
    const { listed } = await store({ tool_calls: calls });

    const names = (listed.toolCalls as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(calls.slice(0, 50).map(({ name }) => name));
  });

  test("registers an agent once per name", {
    tags: ["spec:ingest.agent", "spec:agents.get", "spec:agent.fields"],
  }, async () => {
    const first = await submit({ name: "once" });
    const second = await submit({ name: "once" });
    const other = await submit({ name: "another" });

    expect(second.reference_agent_id).toBe(first.reference_agent_id);
    expect(other.reference_agent_id).not.toBe(first.reference_agent_id);
    const read = await client.expect(
      { status: 200, schema: agentReply },
      "GET",
      `/agents/${first.reference_agent_id as string}`,
    );
    expect(read).toEqual({
      agent: {
        _id: first.reference_agent_id,
        name: "once",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  test("with a known span id stores nothing and returns the first", {
    tags: ["spec:ingest.spanId", "spec:retry.trace"],
  }, async () => {
    const { own } = await createProject();
    const first = await submit({ name: "first", output: "one", spanId: "replayed" }, own);
    const again = await submit({ name: "second", output: "two", spanId: "replayed" }, own);

    expect(again.trace_id).toBe(first.trace_id);
    expect(again.reference_agent_id).toBe(first.reference_agent_id);
    expect(await list("", own)).toMatchObject({
      totalCount: 1,
      traces: [{ _id: first.trace_id, name: "first", output: "one" }],
    });
  });

  test("stores it in the key's project; the request may name that project and no other", {
    tags: ["spec:ingest.workspaceId", "spec:auth.key"],
  }, async () => {
    const [mine, theirs] = [await createProject(), await createProject()];
    const { trace_id: id } = await submit({ name: "unnamed" }, mine.own);
    await submit({ name: "named", workspaceId: mine.id }, mine.own);
    const foreign = await mine.own.send("POST", "/ingest/traces", { name: "foreign", workspaceId: theirs.id });
    const left = await mine.own.send("POST", "/ingest/traces", { name: "left over", workspaceId: "6650f0a2c4a1d3b2" });

    expect(foreign.status).toBe(403);
    expect([left.status, left.headers.get("x-touchstone-warning")]).toEqual([
      201,
      "The workspace that was named is none of this installation; the project of the key was used.",
    ]);
    expect((await list("", mine.own)).traces.map(({ name }) => name)).toEqual(["left over", "named", "unnamed"]);
    expect((await list("", theirs.own)).totalCount).toBe(0);
    expect((await theirs.own.send("GET", `/ingest/traces/${id}`)).status).toBe(404);
  });
});

describe("the list", () => {
  test("has 50 traces on a page by default, at least 1 and at most 100", {
    tags: ["spec:traces.list.limit", "spec:limit.page"],
  }, async () => {
    const { own } = await createProject();
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => submit({ name: `${round}-${index}` }, own)));
    }

    const lengths = [];
    for (const query of ["", "?limit=1", "?limit=100", "?limit=101", "?limit=0", "?limit=-1"]) {
      const { traces, totalCount } = await list(query, own);
      expect(totalCount).toBe(120);
      lengths.push(traces.length);
    }
    expect(lengths).toEqual([50, 1, 100, 100, 1, 1]);
  });

  test("is newest first, continues after a cursor and ends without one", {
    tags: [
      "spec:traces.list.order",
      "spec:traces.list.cursor",
      "spec:traces.list.nextCursor",
      "spec:traces.list.totalCount",
    ],
  }, async () => {
    const { own } = await createProject();
    for (const day of [3, 1, 5, 2, 4]) {
      await submit({ name: `day ${day}`, timestamp: `2026-03-0${day}T00:00:00Z`, span_id: `root ${day}` }, own);
      await submit({ name: "child", span_id: `child ${day}`, parent_span_id: `root ${day}` }, own);
    }

    const pages = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`, own);
      pages.push(page);
      cursor = page.nextCursor;
    }

    expect(pages.map(({ traces }) => traces.map(({ name }) => name))).toEqual([
      ["day 5", "day 4"],
      ["day 3", "day 2"],
      ["day 1"],
    ]);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([5, 5, 5]);
    expect(pages.map(({ hasNextPage }) => hasNextPage)).toEqual([true, true, false]);
    expect(pages.map(({ traces, nextCursor }) => nextCursor === traces.at(-1)?._id)).toEqual([true, true, false]);
  });

  test("is filtered by framework and by traffic, and counts the matches", {
    tags: ["spec:traces.list.framework", "spec:traces.list.source", "spec:traces.list.totalCount"],
  }, async () => {
    const { own } = await createProject();
    await submit({ name: "production", framework: "LangChain" }, own);
    await submit({ name: "evaluation", framework: "langchain", source: "eval-run" }, own);
    await submit({ name: "other", framework: "crewai" }, own);

    for (const [query, names] of [
      ["", ["other", "evaluation", "production"]],
      ["framework=%20LANGchain%20", ["evaluation", "production"]],
      ["framework=lang", []],
      ["source=production", ["other", "production"]],
      ["source=eval", ["evaluation"]],
      ["source=all", ["other", "evaluation", "production"]],
      ["source=production&framework=langchain", ["production"]],
    ] as const) {
      const page = await list(`?${query}`, own);
      expect([query, page.traces.map(({ name }) => name)]).toEqual([query, names]);
      expect(page.totalCount).toBe(names.length);
      expect((await list(`?limit=1&${query}`, own)).totalCount).toBe(names.length);
    }
  });
});

test("every span of a session is in one answer, ordered by start", { tags: ["spec:sessions.spans"] }, async () => {
  const { own } = await createProject();
  const startsOf = Array.from({ length: 120 }, (_, index) => (index * 7) % 120);
  const spans = startsOf.map((minute) => ({
    name: String(minute),
    span_id: String(minute),
    session_id: "long chat",
    started_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    ...(minute > 0 && { parent_span_id: "0" }),
  }));
  await Promise.all(spans.map((span) => submit(span, own)));
  await submit({ name: "of another session", session_id: "other" }, own);

  const route = "/ingest/sessions/long%20chat/spans";
  const session = await own.expect({ status: 200, schema: sessionSpans }, "GET", route);

  expect(session.spans.map(({ name }) => Number(name))).toEqual(startsOf.toSorted((left, right) => left - right));
});

test("an agent cannot be deleted", { tags: ["spec:agent.no-delete"] }, async () => {
  const { reference_agent_id: id } = await submit({ name: "lasting" });

  expect((await client.send("DELETE", `/agents/${id}`)).status).toBe(405);
  expect((await client.send("GET", `/agents/${id}`)).status).toBe(200);
});
