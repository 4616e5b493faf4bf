import { modelPriceList, modelPriceReply } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reply, type RunningIngest, startIngest } from "./running-ingest.ts";

let database: TestDatabase;
let ingest: RunningIngest;

beforeAll(async () => {
  database = await createTestDatabase();
  ingest = await startIngest({ databaseUrl: database.url });
  await ingest.ready();
});

afterAll(async () => {
  await ingest.stop();
  await database.drop();
});

const newProject = (): string => uuidv7(Date.now());
const models = (projectId: string, method: string, path = "", body?: unknown): Promise<Reply> =>
  ingest.call(projectId, method, `/api/v1/agent-monitoring/portability/models${path}`, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function costOf(projectId: string, traceId: string): Promise<number | null> {
  return (await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traceId}`)).json.estimatedCostUSD;
}

const house = {
  id: "house/model-1",
  provider: "openai",
  label: "House",
  pricePerMInputTokens: 1,
  pricePerMOutputTokens: 10,
};

describe("the estimated cost of a trace", () => {
  test("follows the catalogue; without a price or a token count it is null [spec:trace.detail.estimatedCostUSD]", async () => {
    const projectId = newProject();
    const submit = async (trace: object) => (await ingest.submit(projectId, { name: "x", ...trace })).json.trace_id;
    const used = { input_tokens: 1_000_000, output_tokens: 500_000 };

    expect(await costOf(projectId, await submit({ ...used, model: "gpt-5.6-terra" }))).toBe(8);
    const cached = { ...used, model: "claude-sonnet-5-20260101", cache_read_tokens: 1_000_000 };
    expect(await costOf(projectId, await submit(cached))).toBeCloseTo(0.3 + 7.5, 12);
    expect(await costOf(projectId, await submit({ ...used, model: "mystery" }))).toBeNull();
    expect(await costOf(projectId, await submit(used))).toBeNull();
    expect(await costOf(projectId, await submit({ input_tokens: 5, model: "gpt-5.6-terra" }))).toBeNull();
  });

  test("of an OpenTelemetry trace is the sum of its calls, each by its model", async () => {
    const projectId = newProject();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const llm = (spanId: string, model: string) => ({
      traceId,
      spanId,
      parentSpanId: "00f067aa0ba902b7",
      name: "chat",
      attributes: [
        { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
        { key: "gen_ai.request.model", value: { stringValue: model } },
        { key: "gen_ai.usage.input_tokens", value: { intValue: "1000000" } },
        { key: "gen_ai.usage.output_tokens", value: { intValue: "100000" } },
      ],
    });
    const spans = [
      { traceId, spanId: "00f067aa0ba902b7", name: "agent" },
      llm("00f067aa0ba902b8", "gpt-5.6-sol"),
      llm("00f067aa0ba902b9", "gpt-5.6-luna"),
    ];
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");

    expect(await costOf(projectId, json.traces[0]._id)).toBeCloseTo(5 + 3 + 0.2 + 0.12, 12);
  });
});

describe("the price catalogue", () => {
  test("begins with the built-in models, the default first", async () => {
    const { status, json } = await models(newProject(), "GET");
    const listed = modelPriceList.parse(json).models;

    expect(status).toBe(200);
    expect(listed.map(({ id }) => id)).toEqual([
      "claude-sonnet-5",
      "claude-fable-5",
      "claude-haiku-4-5",
      "claude-opus-5",
      "gemini-2.5-flash",
      "gemini-2.5-pro",
      "gpt-4o-mini",
      "gpt-5.6-luna",
      "gpt-5.6-sol",
      "gpt-5.6-terra",
    ]);
    expect(listed.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  test("takes a project's own models, prices traces by them, and gives them up again", async () => {
    const [projectId, foreign] = [newProject(), newProject()];
    const path = `/${encodeURIComponent(house.id)}`;
    const { json } = await ingest.submit(projectId, {
      name: "x",
      model: house.id,
      input_tokens: 1_000_000,
      output_tokens: 1,
    });
    expect((await models(projectId, "GET", "/unpriced")).json).toEqual({ models: [house.id] });
    expect(await costOf(projectId, json.trace_id)).toBeNull();

    const created = await models(projectId, "POST", "", house);
    expect([created.status, modelPriceReply.parse(created.json).model]).toEqual([
      201,
      {
        ...house,
        pricePerMCacheReadTokens: null,
        pricePerMCacheWriteTokens: null,
        isDefault: false,
        baseUrl: null,
        apiKeyMasked: null,
      },
    ]);
    expect(await costOf(projectId, json.trace_id)).toBeCloseTo(1.00001, 12);
    expect((await models(projectId, "GET", "/unpriced")).json).toEqual({ models: [] });
    expect((await models(foreign, "GET", "")).json.models).toHaveLength(10);
    expect((await models(foreign, "PUT", path, { label: "Mine" })).status).toBe(404);

    const again = await models(projectId, "POST", "", house);
    expect([again.status, again.json]).toEqual([409, { error: `A model with id "${house.id}" already exists` }]);
    const changed = await models(projectId, "PUT", path, { pricePerMInputTokens: 2, pricePerMCacheReadTokens: 0.5 });
    expect([changed.status, changed.json.model]).toEqual([
      200,
      { ...created.json.model, pricePerMInputTokens: 2, pricePerMCacheReadTokens: 0.5 },
    ]);

    const deleted = await models(projectId, "DELETE", path);
    expect([deleted.status, deleted.json]).toEqual([200, { success: true }]);
    expect((await models(projectId, "DELETE", path)).json).toEqual({ error: "Model not found" });
    expect(await costOf(projectId, json.trace_id)).toBeNull();
  });

  test("lets a project change and remove a built-in model, for itself alone", async () => {
    const [projectId, foreign] = [newProject(), newProject()];
    await models(projectId, "PUT", "/gpt-5.6-sol", { pricePerMInputTokens: 4 });
    await models(projectId, "DELETE", "/gpt-4o-mini");
    const ids = (await models(projectId, "GET")).json.models.map(({ id }: { id: string }) => id);
    const sol = (reply: Reply) => reply.json.models.find(({ id }: { id: string }) => id === "gpt-5.6-sol");

    expect(ids).not.toContain("gpt-4o-mini");
    expect(sol(await models(projectId, "GET"))).toMatchObject({ pricePerMInputTokens: 4, pricePerMOutputTokens: 30 });
    expect(sol(await models(foreign, "GET"))).toMatchObject({ pricePerMInputTokens: 5 });
    expect((await models(foreign, "GET")).json.models).toHaveLength(10);
    expect((await models(projectId, "POST", "", { ...house, id: "gpt-4o-mini" })).status).toBe(201);
  });

  test("takes one of two equal models that are added at once", async () => {
    const projectId = newProject();
    const replies = await Promise.all([1, 2, 3, 4].map(() => models(projectId, "POST", "", house)));

    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test.each([
    [{ id: "" }, "id is required (the exact model string sent to the provider's API)"],
    [{ provider: "other" }, 'provider must be "openai", "anthropic", "gemini", or "custom"'],
    [{ label: 3 }, "label is required"],
    [{ pricePerMInputTokens: "1" }, "pricePerMInputTokens and pricePerMOutputTokens must be numbers"],
    [
      { pricePerMCacheReadTokens: "1" },
      "pricePerMCacheReadTokens and pricePerMCacheWriteTokens must be numbers or null",
    ],
    [{ provider: "custom" }, "baseUrl is required for a custom model"],
  ])("refuses %j in a sentence", async (change, error) => {
    const { status, json } = await models(newProject(), "POST", "", { ...house, ...change });
    expect([status, json]).toEqual([400, { error }]);
  });
});
