import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startObservation } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { langfuseBatchReply, langfuseErrorBody, langfuseHealth, traceDetail, traceList } from "@touchstone/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basic, type LangfuseClients, langfuseClients, readOnlyTrace } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";

let langfuse: LangfuseClients;

const { system, client } = useCombined();

beforeAll(() => {
  langfuse = langfuseClients(system.url, system.apiKey);
});

afterAll(async () => {
  await langfuse?.v3.shutdownAsync();
});

const asJson = () => ({ authorization: basic(system.apiKey), "content-type": "application/json" });

describe("access", () => {
  test.each([
    ["Basic", () => ({ authorization: basic(system.apiKey) })],
    ["Bearer", () => ({ authorization: `Bearer ${system.apiKey}` })],
    ["x-api-key", () => ({ "x-api-key": system.apiKey })],
  ])("a project's key opens the paths as %s", async (_way, headers) => {
    const { projects } = (await client.send("GET", "/projects")).body as { projects: { _id: string; name: string }[] };

    const { status, body } = await langfuse.ask("/projects", headers());

    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [{ id: projects[0]?._id, name: projects[0]?.name }] });
  });

  test("no key and a wrong key are 401, an unknown path is 404 and a wrong method 405, in Langfuse's envelope", async () => {
    const wrong = basic(`${system.apiKey.slice(0, -1)}!`);
    const refusals = [
      [await langfuse.ask("/projects"), 401, "UnauthorizedError"],
      [await langfuse.ask("/projects", { authorization: wrong }), 401, "UnauthorizedError"],
      [await langfuse.ask("/no-such-path", { authorization: basic(system.apiKey) }), 404, "RouteNotFoundError"],
      [
        await langfuse.ask("/projects", { authorization: basic(system.apiKey) }, "DELETE"),
        405,
        "MethodNotAllowedError",
      ],
    ] as const;
    for (const [{ status, body }, expected, error] of refusals) {
      expect(status).toBe(expected);
      expect(langfuseErrorBody.parse(body)).toMatchObject({ error });
    }
  });

  test("the health of the API is read without a key", async () => {
    const { status, body } = await langfuse.ask("/health");

    expect(status).toBe(200);
    expect(langfuseHealth.parse(body).status).toBe("OK");
  });

  test("a client reads its project, and with a wrong key its calls fail", async () => {
    const { data } = await langfuse.v5.api.projects.get();
    expect(data).toHaveLength(1);

    await expect(langfuseClients(system.url, "sk-lf-wrong").v5.api.projects.get()).rejects.toMatchObject({
      statusCode: 401,
    });
  });
});

test("spans of the tracing client are stored with their usage, cached tokens included", async () => {
  const processor = new LangfuseSpanProcessor({
    publicKey: "pk-lf-any",
    secretKey: system.apiKey,
    baseUrl: system.url,
  });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  setLangfuseTracerProvider(provider);
  const agent = startObservation("weather-agent", { input: { q: "Weather in Paris?" } }, { asType: "agent" });
  const generation = agent.startObservation(
    "llm-call",
    {
      model: "gpt-4o-mini",
      input: [{ role: "user", content: "Weather in Paris?" }],
      output: { role: "assistant", content: "Sunny" },
      usageDetails: { input: 12, output: 5, cache_read_input_tokens: 4 },
    },
    { asType: "generation" },
  );
  generation.end();
  agent.update({ output: "Sunny" }).end();

  await processor.forceFlush();

  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces?limit=1");
  expect(traces[0]).toMatchObject({ name: "weather-agent", inputTokens: 16, outputTokens: 5 });
  await provider.shutdown();
});

describe("version 3, which sends a span in several events", () => {
  test("traces, spans, generations and events become one trace with its usage, times and scores", async () => {
    const trace = langfuse.v3.trace({
      name: "weather-agent-3",
      userId: "user-1",
      sessionId: "session-3",
      input: "Weather?",
      tags: ["t1"],
      metadata: { k: "v" },
    });
    const span = trace.span({ name: "plan", input: { a: 1 } });
    const generation = span.generation({
      name: "llm-call",
      model: "gpt-4o-mini",
      input: [{ role: "user", content: "Weather?" }],
      modelParameters: { temperature: 0 },
    });
    generation.end({ output: "Sunny", usageDetails: { input: 12, output: 5, cache_read_input_tokens: 4 } });
    span.end({ output: { b: 2 } });
    trace.event({ name: "cache-hit" });
    trace.update({ output: "Sunny" });
    trace.score({ name: "helpful", value: 1, comment: "good", dataType: "BOOLEAN" });
    generation.score({ name: "tone", value: "kind" });
    await langfuse.v3.flushAsync();

    const { detail, spans } = await readOnlyTrace(client, "weather-agent-3");

    expect(detail).toMatchObject({
      name: "weather-agent-3",
      framework: "langfuse",
      sessionId: "session-3",
      input: "Weather?",
      output: "Sunny",
      inputTokens: 16,
      outputTokens: 5,
      metadata: { k: "v" },
      scores: [{ name: "helpful", value: true, comment: "good" }],
    });
    const names = spans.map((one) => [
      one.name,
      one.spanKind,
      spans.find(({ spanId }) => spanId === one.parentSpanId)?.name,
    ]);
    expect(names.toSorted()).toEqual([
      ["cache-hit", expect.any(String), "weather-agent-3"],
      ["llm-call", "llm", "plan"],
      ["plan", expect.any(String), "weather-agent-3"],
      ["weather-agent-3", expect.any(String), undefined],
    ]);
    const llm = spans.find(({ name }) => name === "llm-call")?._id;
    expect(await client.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${llm}`)).toMatchObject({
      model: "gpt-4o-mini",
      output: "Sunny",
      scores: [{ name: "tone", value: "kind" }],
    });
  });

  test("a trace whose generation has not ended shows it running", async () => {
    const trace = langfuse.v3.trace({ name: "still-running" });
    const generation = trace.generation({ name: "slow-call" });
    await langfuse.v3.flushAsync();
    expect((await readOnlyTrace(client, "still-running")).spans).toMatchObject([
      { name: "still-running", latencyMs: null },
      { name: "slow-call", latencyMs: null },
    ]);

    generation.end({ output: "done" });
    await langfuse.v3.flushAsync();

    expect((await readOnlyTrace(client, "still-running")).spans).toMatchObject([
      { latencyMs: expect.any(Number) },
      { latencyMs: expect.any(Number) },
    ]);
  });
});

test("each event of a batch is stored or named among the errors, and a repeated batch adds nothing", async () => {
  const at = "2026-11-20T10:00:00.000Z";
  const event = (id: string, type: string, body: unknown) => ({ id, type, timestamp: at, body });
  const batch = [
    event("1", "trace-create", { id: "order 7 / å", name: "foreign-ids", timestamp: at }),
    event("2", "generation-create", { id: "call 1", traceId: "order 7 / å", name: "call", startTime: at, endTime: at }),
    event("3", "dream-create", { id: "x" }),
    event("4", "span-create", { traceId: "order 7 / å", name: "without id" }),
    event("5", "score-create", { traceId: "order 7 / å", name: "", value: 1 }),
    event("6", "score-create", { traceId: "order 7 / å", name: "helpful", value: 0.5 }),
    event("7", "span-create", { id: "s", traceId: "order 7 / å", startTime: "2126-01-01T00:00:00Z" }),
    event("8", "sdk-log", { log: "anything" }),
    { id: "9", type: "trace-create" },
    { ...event("10", "span-create", { id: "t", traceId: "order 7 / å" }), timestamp: "yesterday" },
    event("11", "span-create", { id: "u", traceId: "order 7 / å", startTime: "1969-12-31T00:00:00Z" }),
  ];
  const send = async () => {
    const { status, body } = await langfuse.ask("/ingestion", asJson(), "POST", { batch, metadata: {} });
    expect(status).toBe(207);
    return langfuseBatchReply.parse(body);
  };

  const [first, second] = [await send(), await send()];

  expect(first.successes.map(({ id }) => id)).toEqual(["1", "2", "6", "8"]);
  expect(Object.fromEntries(first.errors.map(({ id, message }) => [id, message]))).toEqual({
    "3": "The event type dream-create is unknown",
    "4": "body.id is required",
    "5": expect.stringContaining("name"),
    "7": expect.stringContaining("startTime: is more than 24 hours ahead"),
    "9": expect.stringContaining("timestamp"),
    "10": "timestamp must be an ISO 8601 time, 1970 or later",
    "11": "body.startTime must be an ISO 8601 time, 1970 or later",
  });
  expect(second).toEqual(first);
  const { detail, spans } = await readOnlyTrace(client, "foreign-ids");
  expect(spans).toHaveLength(2);
  expect(detail).toMatchObject({ metadata: { peerId: "order 7 / å" }, scores: [{ name: "helpful", value: 0.5 }] });
});

test("a score by itself is stored, and the score of a trace may come before it", async () => {
  const score = { traceId: "comes later", name: "early", value: 3 };
  expect((await langfuse.ask("/scores", asJson(), "POST", score)).status).toBe(200);

  langfuse.v3.trace({ id: "comes later", name: "late-trace" });
  await langfuse.v3.flushAsync();

  expect((await readOnlyTrace(client, "late-trace")).detail.scores).toMatchObject([{ name: "early", value: 3 }]);
});

describe("prompts", () => {
  test("a text prompt is made by one client, read by both, and compiled there", async () => {
    const made = await langfuse.v5.prompt.create({
      name: "folder/greet",
      prompt: "Answer briefly: {{question}}",
      labels: ["production"],
      config: { temperature: 0.5 },
      tags: ["t1"],
      commitMessage: "The first",
    });
    expect(made.version).toBe(1);

    const read = await langfuse.v5.prompt.get("folder/greet");
    expect(read).toMatchObject({
      version: 1,
      labels: ["production", "latest"],
      config: { temperature: 0.5 },
      tags: ["t1"],
    });
    expect(read.compile({ question: "why?" })).toBe("Answer briefly: why?");
    const older = await langfuse.v3.getPrompt("folder/greet");
    expect(older.compile({ question: "why?" })).toBe("Answer briefly: why?");
    expect(older.commitMessage).toBe("The first");
  });

  test("a chat prompt keeps its messages; a label moves, and is what a client asks for", async () => {
    const hello = { role: "system", content: "You are {{who}}." };
    const placeholder = { type: "placeholder" as const, name: "history" };
    await langfuse.v5.prompt.create({
      name: "chat",
      type: "chat",
      prompt: [hello, placeholder],
      labels: ["production"],
    });
    await langfuse.v5.prompt.create({ name: "chat", type: "chat", prompt: [{ ...hello, content: "Be {{who}}." }] });

    const uncached = { type: "chat", cacheTtlSeconds: 0 } as const;
    const first = await langfuse.v5.prompt.get("chat", uncached);
    expect(first).toMatchObject({
      version: 1,
      labels: ["production"],
      prompt: [{ ...hello, type: "chatmessage" }, placeholder],
    });
    expect(await langfuse.v5.prompt.get("chat", { ...uncached, label: "latest" })).toMatchObject({ version: 2 });
    expect(await langfuse.v5.prompt.get("chat", { ...uncached, version: 1 })).toMatchObject({ version: 1 });

    await langfuse.v5.prompt.update({ name: "chat", version: 2, newLabels: ["production"] });

    expect(await langfuse.v5.prompt.get("chat", uncached)).toMatchObject({
      version: 2,
      labels: ["production", "latest"],
    });
    const { data, meta } = await langfuse.v5.api.prompts.list({ label: "production", name: "chat" });
    expect(data).toMatchObject([{ name: "chat", versions: [1, 2], labels: ["production", "latest"], type: "chat" }]);
    expect(meta).toMatchObject({ page: 1, totalItems: 1, totalPages: 1 });
  });

  test("a prompt that does not exist, or that no label names, makes the clients throw", async () => {
    await langfuse.v5.prompt.create({ name: "draft", prompt: "Not ready." });

    await expect(langfuse.v5.api.prompts.get("none")).rejects.toMatchObject({ statusCode: 404 });
    await expect(langfuse.v5.api.prompts.get("draft")).rejects.toMatchObject({
      statusCode: 404,
      body: { message: "Prompt not found", error: "NotFoundError" },
    });
    await expect(langfuse.v3.getPrompt("draft", undefined, { maxRetries: 0 })).rejects.toThrow();
  });
});

describe("datasets", () => {
  const items = [
    { id: "item_1", input: { q: "capital of France?" }, expectedOutput: "Paris", metadata: { level: 1 } },
    { id: "item/2 ü", input: ["a", null, 1.5], expectedOutput: { any: ["thing"] }, metadata: null },
    { id: "item_3", input: "plain", expectedOutput: null, metadata: ["x"] },
  ];

  test("items come back as they were sent, under their own ids, to both clients", async () => {
    const { api } = langfuse.v5;
    const dataset = await api.datasets.create({ name: "capitals", description: "d", metadata: { owner: "me" } });
    for (const item of items) await api.datasetItems.create({ datasetName: "capitals", ...item });

    expect(await api.datasets.get("capitals")).toMatchObject({
      id: dataset.id,
      description: "d",
      metadata: { owner: "me" },
    });
    const read = await langfuse.v5.dataset.get("capitals");
    expect(read.items).toMatchObject(items);
    const older = await langfuse.v3.getDataset("capitals");
    expect(older.items).toMatchObject(items);
    expect(await api.datasetItems.get("item/2 ü")).toMatchObject({
      ...items[1],
      datasetId: dataset.id,
      status: "ACTIVE",
    });
    const page = await api.datasetItems.list({ datasetName: "capitals", page: 2, limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual(["item_3"]);
    expect(page.meta).toEqual({ page: 2, limit: 2, totalItems: 3, totalPages: 2 });
    // Items sent one by one keep one document, not one for each.
    const versions = await client.send("GET", `/evaluate/datasets/${dataset.id}/versions`);
    expect(versions.body).toMatchObject([{ versionNumber: 4 }, { versionNumber: 1 }]);
  });

  test("a name and an id that are sent again change what they name; an id belongs to one dataset", async () => {
    await langfuse.v3.createDataset({ name: "repeated", metadata: { owner: "me" } });
    await langfuse.v3.createDataset({ name: "repeated", description: "now described", metadata: null });
    const item = { datasetName: "repeated", id: "repeated_1" };
    await langfuse.v3.createDatasetItem({ ...item, input: { v: 1 }, metadata: { kept: true } });
    await langfuse.v3.createDatasetItem({ ...item, input: { v: 2 } });

    const read = await langfuse.v3.getDataset("repeated");
    expect(read).toMatchObject({ description: "now described", metadata: { owner: "me" } });
    expect(read.items).toMatchObject([{ id: "repeated_1", input: { v: 2 }, metadata: { kept: true } }]);
    await langfuse.v3.createDataset({ name: "other" });
    await expect(
      langfuse.v5.api.datasetItems.create({ datasetName: "other", id: "repeated_1", input: 1 }),
    ).rejects.toMatchObject({ statusCode: 409 });
    await expect(langfuse.v5.api.datasets.get("none")).rejects.toMatchObject({ statusCode: 404 });
    await expect(langfuse.v5.api.datasetItems.get("none")).rejects.toMatchObject({ statusCode: 404 });
  });

  test("an archived item is not among those that an experiment gets, and is read by its id", async () => {
    await langfuse.v3.createDatasetItem({ datasetName: "repeated", id: "old", input: "o", status: "ARCHIVED" });
    expect((await langfuse.v3.getDataset("repeated")).items).toMatchObject([{ id: "repeated_1" }]);
    expect(await langfuse.v5.api.datasetItems.get("old")).toMatchObject({ input: "o", status: "ARCHIVED" });
  });

  test("an item is a case of our own dataset, and a case of ours is an item", async () => {
    const { datasets } = (await client.send("GET", "/custom-agent-evaluations/datasets")).body as {
      datasets: { name: string; questions: { main_question: unknown }[] }[];
    };
    expect(datasets.find(({ name }) => name === "capitals")?.questions.map((each) => each.main_question)).toEqual([
      { query: '{"q":"capital of France?"}', expectedResults: "Paris" },
      { query: '["a",null,1.5]', expectedResults: '{"any":["thing"]}' },
      { query: "plain" },
    ]);
    const ours = { name: "ours", questions: [{ main_question: { query: "Why?", expectedResults: "Because." } }] };
    await client.send("POST", "/custom-agent-evaluations/datasets", ours);

    const [item] = (await langfuse.v5.dataset.get("ours")).items;
    expect(item).toMatchObject({ input: "Why?", expectedOutput: "Because." });
    expect(await langfuse.v5.api.datasetItems.get(item?.id ?? "")).toMatchObject({ input: "Why?" });
  });

  test("items that are sent all at once are all stored, each under its id", async () => {
    await langfuse.v5.api.datasets.create({ name: "parallel" });
    const ids = Array.from({ length: 60 }, (_, index) => `parallel_${index}`);

    await Promise.all(
      ids.map((id) => langfuse.v5.api.datasetItems.create({ datasetName: "parallel", id, input: { id } })),
    );

    const { items } = await langfuse.v5.dataset.get("parallel");
    expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(items.every(({ id, input }) => (input as { id: string }).id === id)).toBe(true);
  });

  test("JSON that a parser would change is kept as text", async () => {
    const input = '{"n":12345678901234567890,"__proto__":1.0,"b":"\\u0000","1":2,"a":3}';
    await langfuse.v3.createDataset({ name: "exact", metadata: { nul: "\u0000" } });
    expect((await langfuse.v5.api.datasets.list({ limit: 1 })).data).toMatchObject([{ metadata: { nul: "\u0000" } }]);
    await fetch(`${system.url}/api/public/dataset-items`, {
      method: "POST",
      headers: asJson(),
      body: `{"datasetName":"exact","id":"exact","input":${input}}`,
    });

    const answer = await fetch(`${system.url}/api/public/dataset-items/exact`, {
      headers: { "x-api-key": system.apiKey },
    });

    expect(await answer.text()).toContain(`"input":${input}`);
  });
});
