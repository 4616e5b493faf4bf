import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@touchstone/bus";
import {
  builtInModels,
  internalRoutes,
  keepModelPrices,
  type modelPriceReply,
  modelPricesChanged,
  modelPricesHandedOver,
  type PriceChange,
  type PriceList,
  routes,
} from "@touchstone/contracts";
import { openDatabase, rolesOf } from "@touchstone/db";
import { createInternalClient, createLogger, createMetrics, systemClock } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { createAuth, readAuthConfig } from "../src/index.ts";
import { createModelStore } from "../src/models/model-store.ts";
import { createKeyVault } from "../src/project-keys/key-vault.ts";

const rootSecret = "a root secret of the installation, long enough";
const logger = createLogger({ service: "auth", level: "silent" });
const canary = "sk-canary-of-a-custom-model";
let nats: TestNats;
let database: TestDatabase;
let endpoint: { server: Server; url: string; keys: (string | undefined)[] };
const stops: (() => Promise<unknown>)[] = [];

type Model = z.infer<typeof modelPriceReply>["model"];
type Running = Awaited<ReturnType<typeof startAuth>>;

/** An auth on the database of this file; the second one is in multi-tenant mode. */
async function startAuth(settings: Record<string, string> = {}) {
  const { config } = readAuthConfig({
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: nats.url,
    SERVICE_INTERNAL_SECRET: rootSecret,
    ...settings,
  });
  const service = createAuth(config, { logger, clock: systemClock, metrics: createMetrics() });
  const address = (await service.start()).address ?? "";
  const clientOf = (issuer: "gateway" | "judge") =>
    createInternalClient({ issuer, audience: "auth", addresses: [address], rootSecret, clock: systemClock });
  const [gateway, judge] = [clientOf("gateway"), clientOf("judge")];
  stops.push(async () => {
    await Promise.all([gateway.close(), judge.close()]);
    await service.stop();
  });
  await vi.waitFor(async () => expect((await service.readiness()).ready).toBe(true));
  return {
    async ask(projectId: string, method: string, path = "", body?: unknown) {
      const answer = await gateway.forward({
        method,
        path: `${routes.listModels.path}${path}`,
        headers: { "content-type": "application/json" },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
        deadlineMs: 20_000,
      });
      return { status: answer.status, body: (await answer.body.json()) as Record<string, unknown> };
    },
    readKeys: (projectId: string) =>
      judge.call(internalRoutes.readProviderKeys, { projectId }, { requestId: "request-1", deadlineMs: 20_000 }),
  };
}

async function query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: database.adminUrl });
  try {
    await client.connect();
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function makeProject(
  organization: "none" | "own" = "none",
): Promise<{ projectId: string; organizationId: string }> {
  const [row] = await query<{ project: string; organization: string }>(
    "select gen_random_uuid() as project, gen_random_uuid() as organization",
  );
  const { project = "", organization: organizationId = "" } = row ?? {};
  const isOwn = organization === "own";
  if (isOwn) await query("insert into auth.organizations values ($1, 'Ada', now())", [organizationId]);
  await query("insert into auth.projects (id, name, created_at, organization_id) values ($1, 'P', now(), $2)", [
    project,
    isOwn ? organizationId : null,
  ]);
  return { projectId: project, organizationId };
}

/** An OpenAI-compatible endpoint with one model, for callers with the key. */
async function startEndpoint() {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url?.startsWith("/bare/chat")) return answer(200, { choices: [] });
    if (request.url?.startsWith("/moved")) return response.writeHead(302, { location: "/v1/models" }).end();
    if (request.url?.startsWith("/silent")) return;
    if (request.url !== "/v1/models") return answer(404, {});
    if (request.headers.authorization !== `Bearer ${canary}`) return answer(401, { error: "no" });
    return answer(200, { data: [{ id: "house" }, { id: 7 }, { id: "hut" }] });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const house = { id: "house", provider: "custom", label: "House", pricePerMInputTokens: 1, pricePerMOutputTokens: 10 };
const idsOf = ({ body }: { body: Record<string, unknown> }) => (body.models as Model[]).map(({ id }) => id);

let auth: Running;
let tenants: Running;

beforeAll(async () => {
  [database, nats, endpoint] = await Promise.all([createTestDatabase(), startTestNats(), startEndpoint()]);
  auth = await startAuth();
  tenants = await startAuth({ SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" });
});

afterAll(async () => {
  endpoint.server.closeAllConnections();
  endpoint.server.close();
  await Promise.all(stops.map((stop) => stop()));
  await nats.stop();
  await database.drop();
});

describe("the catalogue", () => {
  test("begins with the built-in models, and has what its owner adds, changes and removes", async () => {
    const [{ projectId }, { projectId: foreign }] = [await makeProject(), await makeProject()];
    expect(idsOf(await auth.ask(projectId, "GET"))).toEqual([
      "claude-sonnet-5",
      ...builtInModels
        .map(({ model }) => model)
        .filter((id) => id !== "claude-sonnet-5")
        .toSorted(),
    ]);

    const path = `/${encodeURIComponent("house/1")}`;
    const own = { ...house, id: "house/1", provider: "openai" };
    const created = await auth.ask(projectId, "POST", "", own);
    expect([created.status, created.body.model]).toEqual([
      201,
      {
        ...own,
        pricePerMCacheReadTokens: null,
        pricePerMCacheWriteTokens: null,
        isDefault: false,
        baseUrl: null,
        apiKeyMasked: null,
      },
    ]);
    expect(await auth.ask(projectId, "POST", "", own)).toEqual({
      status: 409,
      body: { error: 'A model with id "house/1" already exists' },
    });
    const changed = await auth.ask(projectId, "PUT", path, { pricePerMInputTokens: 2, pricePerMCacheReadTokens: 0.5 });
    expect(changed.body.model).toMatchObject({
      label: "House",
      pricePerMInputTokens: 2,
      pricePerMCacheReadTokens: 0.5,
    });
    await auth.ask(projectId, "PUT", "/gpt-5.6-sol", { pricePerMInputTokens: 4 });
    await auth.ask(projectId, "DELETE", "/gpt-4o-mini");

    const listed = (await auth.ask(projectId, "GET")).body.models as Model[];
    expect(listed.map(({ id }) => id)).not.toContain("gpt-4o-mini");
    expect(listed.find(({ id }) => id === "gpt-5.6-sol")).toMatchObject({
      pricePerMInputTokens: 4,
      pricePerMOutputTokens: 30,
    });
    expect(idsOf(await auth.ask(foreign, "GET"))).toHaveLength(builtInModels.length);
    expect((await auth.ask(foreign, "PUT", path, { label: "Mine" })).status).toBe(404);

    expect(await auth.ask(projectId, "DELETE", path)).toEqual({ status: 200, body: { success: true } });
    expect(await auth.ask(projectId, "DELETE", path)).toEqual({ status: 404, body: { error: "Model not found" } });
    expect((await auth.ask(projectId, "POST", "", { ...own, id: "gpt-4o-mini" })).status).toBe(201);
    const acts = await query(
      "select action, target_id, details from auth.audit_events where project_id = $1 order by id",
      [projectId],
    );
    expect(acts).toEqual([
      { action: "model.created", target_id: "house/1", details: expect.objectContaining({ provider: "openai" }) },
      { action: "model.changed", target_id: "house/1", details: { input: 2, cacheRead: 0.5 } },
      { action: "model.changed", target_id: "gpt-5.6-sol", details: { input: 4 } },
      { action: "model.removed", target_id: "gpt-4o-mini", details: {} },
      { action: "model.removed", target_id: "house/1", details: {} },
      { action: "model.created", target_id: "gpt-4o-mini", details: expect.any(Object) },
    ]);
  });

  test("stores one of several equal models that are added at once", async () => {
    const { projectId } = await makeProject();
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => auth.ask(projectId, "POST", "", { ...house, baseUrl: endpoint.url })),
    );
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
    [{ baseUrl: undefined }, "baseUrl is required for a custom model"],
    [{ apiKey: "not a key" }, "apiKey must be a key of at most 500 visible ASCII characters"],
    [{ baseUrl: "https://models.example/v1?key=1" }, "baseUrl must have no query and no fragment"],
  ])("refuses %j in a sentence", async (change, error) => {
    const { projectId } = await makeProject();
    const body = { ...house, baseUrl: "https://models.example/v1", ...change };
    expect(await auth.ask(projectId, "POST", "", body)).toEqual({ status: 400, body: { error } });
  });

  test("is an organization's, and in multi-tenant mode its built-in part is the same for all and read-only", async () => {
    const [ada, grace] = [await makeProject("own"), await makeProject("own")];
    const { projectId: second } = await makeProject();
    await query("update auth.projects set organization_id = $1 where id = $2", [ada.organizationId, second]);

    await tenants.ask(ada.projectId, "POST", "", { ...house, baseUrl: "https://models.example/v1" });
    expect(idsOf(await tenants.ask(second, "GET"))).toContain("house");
    expect(idsOf(await tenants.ask(grace.projectId, "GET"))).not.toContain("house");

    const refused = { status: 403, body: { error: "Built-in models cannot be changed" } };
    expect(await tenants.ask(ada.projectId, "PUT", "/gpt-4o-mini", { pricePerMInputTokens: 0 })).toEqual(refused);
    expect(await tenants.ask(ada.projectId, "DELETE", "/gpt-4o-mini")).toEqual(refused);
    const inside = { ...house, id: "inside", baseUrl: endpoint.url };
    expect((await tenants.ask(ada.projectId, "POST", "", inside)).status).toBe(400);
  });
});

test("a change of prices is acknowledged when ingest has it, and without ingest too", async () => {
  const { projectId } = await makeProject();
  const sent = { ...house, provider: "openai" };
  expect((await auth.ask(projectId, "POST", "", sent)).status).toBe(201);

  const kept: PriceList[] = [];
  const ingest = connectBus({ url: nats.url, service: "ingest", logger });
  await ingest.answer(
    keepModelPrices,
    async (list) => {
      await sleep(100);
      kept.push(list);
      return {};
    },
    { concurrency: 4 },
  );
  await vi.waitFor(() => expect(ingest.status()).toBe("connected"));
  await auth.ask(projectId, "PUT", "/house", { pricePerMInputTokens: 7 });
  expect(kept.at(-1)).toMatchObject({ ownerId: projectId, changes: [{ model: "house", input: 7 }] });
  await auth.ask(projectId, "POST", "", { ...sent, id: "hut" });
  expect(kept.at(-1)?.changes.map(({ model }) => model)).toEqual(["house", "hut"]);
  await auth.ask(projectId, "DELETE", "/hut");
  expect(kept.at(-1)?.changes.map(({ model }) => model)).toEqual(["house"]);
  await ingest.drain();
});

describe("the connection of a custom model", () => {
  test("keeps its key sealed, shows it masked, and gives it to the judge alone", async () => {
    const { projectId } = await makeProject();
    const created = await auth.ask(projectId, "POST", "", { ...house, baseUrl: `${endpoint.url}/v1/`, apiKey: canary });
    expect(created.body.model).toMatchObject({ baseUrl: `${endpoint.url}/v1`, apiKeyMasked: "sk-...odel" });

    // A blank key keeps the stored one; another endpoint does not get it.
    await auth.ask(projectId, "PUT", "/house", { label: "Our house", apiKey: "" });
    const model = { model: "house", baseUrl: `${endpoint.url}/v1`, apiKey: canary };
    expect(await auth.readKeys(projectId)).toMatchObject({ models: [model], prices: [{ model: "house" }] });
    const moved = await auth.ask(projectId, "PUT", "/house", { baseUrl: "https://elsewhere.example/v1", apiKey: "" });
    expect(moved.body.model).toMatchObject({ label: "Our house", apiKeyMasked: null });
    await auth.ask(projectId, "PUT", "/house", { apiKey: canary });
    await auth.ask(projectId, "PUT", "/house", { apiKey: null });
    expect((await auth.readKeys(projectId)).models).toMatchObject([{ apiKey: null }]);

    const told = JSON.stringify([created, moved, await auth.ask(projectId, "GET")]);
    const stored = await query<{ everything: string }>(
      "select (select json_agg(models)::text from auth.models) || (select json_agg(audit_events)::text from auth.audit_events) as everything",
    );
    expect(told + JSON.stringify(stored)).not.toContain(canary);
    expect(stored[0]?.everything).not.toContain(Buffer.from(canary).toString("hex"));
  });

  test("is tried: whether the endpoint answers and has the model", async () => {
    const { projectId } = await makeProject();
    const tryOut = async (body: object, at = auth) => (await at.ask(projectId, "POST", "/test-connection", body)).body;
    const v1 = `${endpoint.url}/v1`;

    expect(await tryOut({ baseUrl: v1, modelId: "house", apiKey: canary })).toEqual({
      live: true,
      availableModelIds: ["house", "hut"],
    });
    expect(await tryOut({ baseUrl: v1, modelId: "palace", apiKey: canary })).toEqual({
      live: false,
      error: "The endpoint does not list this model.",
      availableModelIds: ["house", "hut"],
    });
    expect(await tryOut({ baseUrl: v1, modelId: "house" })).toEqual({
      live: false,
      error: "The endpoint refused the API key (HTTP 401).",
    });
    expect(await tryOut({ baseUrl: `${endpoint.url}/bare`, modelId: "any" })).toEqual({ live: true });
    expect(await tryOut({ baseUrl: `${endpoint.url}/moved`, modelId: "house" })).toMatchObject({ live: false });
    expect(await tryOut({ baseUrl: "http://127.0.0.1:1024", modelId: "house" })).toEqual({
      live: false,
      error: "The server cannot be reached.",
    });

    const asked = endpoint.keys.length;
    const tenant = await tryOut({ baseUrl: "http://localhost:8080/v1", modelId: "house" }, tenants);
    expect(tenant).toMatchObject({ live: false, error: expect.stringContaining("no address that may be called") });
    expect(endpoint.keys).toHaveLength(asked);
  });
});

test("an organization that takes projects has their models, the older one's of two alike, and their keys open", async () => {
  const [older, younger] = [await makeProject(), await makeProject("own")];
  const [first = "", second = ""] = [older.projectId, younger.projectId].toSorted();
  const { organizationId } = younger;
  await query("update auth.projects set organization_id = null where id = $1", [younger.projectId]);
  await auth.ask(first, "POST", "", { ...house, baseUrl: "https://first.example/v1", apiKey: canary });
  await auth.ask(second, "POST", "", { ...house, baseUrl: "https://second.example/v1" });
  await auth.ask(second, "POST", "", { ...house, id: "hut", baseUrl: "https://second.example/v1" });
  await query("update auth.projects set organization_id = $1 where id = any($2)", [organizationId, [first, second]]);

  const app = openDatabase({
    url: database.url,
    role: rolesOf("auth").app,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 20_000,
    logger,
  });
  const models = createModelStore(app, createKeyVault(rootSecret), async () => {});
  await app.transaction((transaction) => models.handOver(transaction, organizationId));
  await app.close();

  for (const projectId of [first, second]) {
    expect((await auth.readKeys(projectId)).models).toEqual([
      { model: "house", baseUrl: "https://first.example/v1", apiKey: canary },
      { model: "hut", baseUrl: "https://second.example/v1", apiKey: null },
    ]);
  }
});

describe("readers of prices", () => {
  const outbox = async () =>
    (
      await query<{ body: string }>("select body from auth.outbox where subject = $1 order by id", [
        modelPricesChanged.subject,
      ])
    ).map(({ body }) => modelPricesChanged.body.parse(JSON.parse(body)));

  test("receive each change as a whole with a greater number, without keys; and ingest's existing entries are imported", async () => {
    const heard: z.infer<typeof modelPricesChanged.body>[] = [];
    const bus = connectBus({ url: nats.url, service: "ingest", logger });
    await vi.waitFor(() => expect(bus.status()).toBe("connected"));
    await bus.consume(
      modelPricesChanged,
      { durable: "ingest-model-prices-changed" },
      async (list) => void heard.push(list),
    );
    const { projectId } = await makeProject();
    const of = (ownerId: string) => heard.filter((list) => list.ownerId === ownerId);

    await auth.ask(projectId, "POST", "", { ...house, baseUrl: "https://models.example/v1", apiKey: canary });
    await auth.ask(projectId, "DELETE", "/gpt-4o-mini");
    await vi.waitFor(() => expect(of(projectId)).toHaveLength(2));
    const [first, second] = of(projectId).toSorted((one, other) => one.revision - other.revision);
    expect(first?.changes.map(({ model }) => model)).toEqual(["house"]);
    expect(second?.changes.map(({ model, isRemoved }) => [model, isRemoved])).toEqual([
      ["gpt-4o-mini", true],
      ["house", false],
    ]);
    expect(JSON.stringify([heard, await outbox()])).not.toContain(canary);

    const legacy: PriceChange = { ...(second?.changes[1] as PriceChange), provider: "openai", input: 99 };
    const changes = [legacy, { ...legacy, model: "cottage" }];
    await bus.publish(modelPricesHandedOver, { projectId, changes }, { messageId: "handed-over" });
    await vi.waitFor(() => expect(of(projectId)).toHaveLength(3));
    const latest = of(projectId).toSorted((one, other) => other.revision - one.revision)[0];
    // Existing entries stay.
    expect(latest?.changes.map(({ model, input }) => [model, input])).toEqual([
      ["cottage", 99],
      ["gpt-4o-mini", 0.15],
      ["house", 1],
    ]);
    await bus.drain();
  });
});
