import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectBus } from "@touchstone/bus";
import { keepModelPrices, modelPricesChanged, modelPricesHandedOver, type PriceChange } from "@touchstone/contracts";
import { type Database, migrateSchema } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ReadSpan } from "../src/model/read-span.ts";
import { createCostEstimator } from "../src/pricing/cost-estimator.ts";
import { createPriceListKeeper, createPriceStore } from "../src/pricing/price-store.ts";
import { ingestSchema } from "../src/schema.ts";
import { openPools, silentLogger } from "./ingest-database.ts";
import { type Reply, type RunningIngest, startIngest } from "./running-ingest.ts";

let database: TestDatabase;
let nats: TestNats;
let ingest: RunningIngest;
let pools: { app: Database; maintenance: Database };

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  ingest = await startIngest({ databaseUrl: database.url, natsUrl: nats.url });
  await ingest.ready();
  pools = openPools(database.url);
});

afterAll(async () => {
  await ingest.stop();
  await Promise.all([pools.app.close(), pools.maintenance.close(), nats.stop()]);
  await database.drop();
});

const newProject = (): string => uuidv7(Date.now());
const unpriced = (projectId: string): Promise<Reply> =>
  ingest.call(projectId, "GET", "/api/v1/agent-monitoring/portability/models/unpriced");

async function costOf(projectId: string, traceId: string): Promise<number | null> {
  return (await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traceId}`)).json.estimatedCostUSD;
}

describe("the estimated cost of a trace", () => {
  test("follows the catalogue; without a price or a token count it is null", {
    tags: ["spec:trace.detail.estimatedCostUSD"],
  }, async () => {
    const projectId = newProject();
    const submit = async (trace: object) => (await ingest.submit(projectId, { name: "x", ...trace })).json.trace_id;
    const used = { input_tokens: 1_000_000, output_tokens: 500_000 };

    expect(await costOf(projectId, await submit({ ...used, model: "gpt-5.6-terra" }))).toBe(8);
    const cached = { ...used, model: "claude-sonnet-5-20260101", cache_read_tokens: 1_000_000 };
    expect(await costOf(projectId, await submit(cached))).toBeCloseTo(0.3 + 7.5, 12);
    expect(await costOf(projectId, await submit({ ...used, model: "mystery" }))).toBeNull();
    expect(await costOf(projectId, await submit(used))).toBeNull();
    expect(await costOf(projectId, await submit({ input_tokens: 5, model: "gpt-5.6-terra" }))).toBeNull();
    const embedding = { span_kind: "embedding", input_tokens: 1_000_000, model: "gpt-5.6-terra" };
    expect(await costOf(projectId, await submit(embedding))).toBeGreaterThan(0);
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

test("a model lacks a price only if a span that names it used tokens", async () => {
  const projectId = newProject();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4737";
  const intOf = (count: number) => ({ intValue: `${count}` });
  const usage = [
    { key: "gen_ai.usage.input_tokens", value: intOf(5) },
    { key: "gen_ai.usage.output_tokens", value: intOf(5) },
  ];
  const chat = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.request.model", value: { stringValue: "mystery" } },
  ];
  const send = async (spans: object[]) => {
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
  };
  const call = { traceId, spanId: "00f067aa0ba902b8", parentSpanId: "00f067aa0ba902b7", name: "chat" };
  await send([
    { traceId, spanId: "00f067aa0ba902b7", name: "agent", attributes: usage },
    { ...call, attributes: chat },
  ]);
  // The agent shows the model of its call, but its usage is not that model's.
  expect((await unpriced(projectId)).json).toEqual({ models: [] });
  await send([{ ...call, spanId: "00f067aa0ba902b9", attributes: [...chat, ...usage] }]);
  expect((await unpriced(projectId)).json).toEqual({ models: ["mystery"] });
});

const own: PriceChange = {
  model: "house/model-1",
  provider: "custom",
  label: "House",
  input: 1,
  output: 10,
  cacheRead: null,
  cacheWrite: null,
  isRemoved: false,
};

describe("the prices that auth announces", () => {
  const costIn = (projectId: string, organizationId: string | null, model: string) => {
    const span = { model, inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: null, cacheWriteTokens: null };
    const costs = createCostEstimator({ reading: pools.app, prices: createPriceStore(pools.app) });
    return costs.estimate({ projectId, organizationId }, { ...span, traceKey: null } as ReadSpan);
  };

  test("count from the reply on where auth waits for one", async () => {
    const projectId = newProject();
    const used = { name: "x", model: own.model, input_tokens: 5_000_000, output_tokens: 1_000_000 };
    const { json } = await ingest.submit(projectId, used);
    const bus = connectBus({ url: nats.url, service: "auth", logger: silentLogger });
    await vi.waitFor(() => expect(bus.status()).toBe("connected"));
    const tell = (revision: number, input: number) => {
      const body = { ownerId: projectId, revision, changes: [{ ...own, input, output: 1 }] };
      return bus.request(keepModelPrices, body, { timeoutMs: 20_000 });
    };

    await tell(2, 3);
    expect(await costOf(projectId, json.trace_id)).toBeCloseTo(16, 12);
    // An older list than the current one, as the event may deliver it.
    await tell(1, 9);
    expect(await costOf(projectId, json.trace_id)).toBeCloseTo(16, 12);
    await bus.drain();
  });

  test("count only for traces of their owner, from the event on", async () => {
    const [projectId, foreign] = [newProject(), newProject()];
    const used = { name: "x", model: own.model, input_tokens: 1_000_000, output_tokens: 1 };
    const { json } = await ingest.submit(projectId, used);
    const { json: others } = await ingest.submit(foreign, used);
    expect((await unpriced(projectId)).json).toEqual({ models: [own.model] });
    expect(await costOf(projectId, json.trace_id)).toBeNull();

    const bus = connectBus({ url: nats.url, service: "auth", logger: silentLogger });
    await vi.waitFor(() => expect(bus.status()).toBe("connected"));
    await bus.publish(modelPricesChanged, { ownerId: projectId, revision: 1, changes: [own] }, { messageId: "prices" });
    await expect.poll(() => costOf(projectId, json.trace_id)).toBeCloseTo(1.00001, 12);
    await bus.drain();

    expect((await unpriced(projectId)).json).toEqual({ models: [] });
    expect(await costOf(foreign, others.trace_id)).toBeNull();
  });

  test("are the organization's for each of its projects, and an older list never replaces a newer one", async () => {
    const [organizationId, one, two] = [newProject(), newProject(), newProject()];
    const keeper = createPriceListKeeper(pools.maintenance);
    await keeper.keep({ ownerId: organizationId, revision: 7, changes: [{ ...own, input: 3 }] });
    await keeper.keep({ ownerId: organizationId, revision: 6, changes: [{ ...own, input: 99 }] });
    await keeper.keep({ ownerId: two, revision: 1, changes: [{ ...own, input: 5 }] });

    expect(await costIn(one, organizationId, own.model)).toBe(3);
    expect(await costIn(two, organizationId, own.model)).toBe(3);
    expect(await costIn(two, null, own.model)).toBe(5);
    expect(await costIn(one, null, own.model)).toBeNull();

    const sol = { ...own, model: "gpt-5.6-sol", isRemoved: true };
    await keeper.keep({ ownerId: organizationId, revision: 8, changes: [sol] });
    expect(await costIn(one, organizationId, own.model)).toBeNull();
    expect(await costIn(one, organizationId, "gpt-5.6-sol")).toBeNull();
    expect(await costIn(one, null, "gpt-5.6-sol")).toBe(5);
  });
});

test("what projects had changed before the catalogue was auth's is handed over, by project and as a whole", async () => {
  const before = await mkdtemp(path.join(tmpdir(), "touchstone-migrations-"));
  const old = await createTestDatabase();
  try {
    const names = (await readdir(ingestSchema.directory)).filter((name) => name < "0010");
    await Promise.all(names.map((name) => copyFile(path.join(ingestSchema.directory, name), path.join(before, name))));
    await migrateSchema({ url: old.url, ...ingestSchema, directory: before, logger: silentLogger });
    const { maintenance } = openPools(old.url);
    const [one, two] = [newProject(), newProject()];
    const insert = (projectId: string, model: string, isRemoved: boolean) =>
      maintenance.query({
        name: "insert_price",
        text: "insert into ingest.model_prices values ($1, $2, 'openai', 'House', 1, 10.5, null, 0.5, $3)",
        values: [projectId, model, isRemoved],
      });
    await insert(one, "house", false);
    await insert(one, "gpt-4o-mini", true);
    await insert(two, "house", false);

    await migrateSchema({ url: old.url, ...ingestSchema, logger: silentLogger });

    const { rows } = await maintenance.query<{ subject: string; body: string }>({
      name: "read_outbox",
      text: "select subject, body from ingest.outbox order by id",
    });
    await maintenance.close();
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set([modelPricesHandedOver.subject]));
    const bodies = rows.map(({ body }) => modelPricesHandedOver.body.parse(JSON.parse(body)));
    expect(bodies.map(({ projectId, changes }) => [projectId, changes.map(({ model }) => model)])).toEqual([
      [one, ["gpt-4o-mini", "house"]],
      [two, ["house"]],
    ]);
    const house = { ...own, model: "house", provider: "openai", output: 10.5, cacheWrite: 0.5 };
    expect(bodies[1]?.changes).toEqual([house]);
    expect(bodies[0]?.changes[0]?.isRemoved).toBe(true);
  } finally {
    await old.drop();
    await rm(before, { recursive: true, force: true });
  }
});
