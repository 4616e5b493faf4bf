import { internalRoutes } from "@touchstone/contracts";
import {
  createInternalClient,
  createLogger,
  createMetrics,
  type InternalClient,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAuth, readAuthConfig } from "../src/index.ts";
import { startAccounts, type TestAccounts } from "./test-accounts.ts";

const rootSecret = "a root secret of the installation, long enough";
const settingsPath = "/api/v1/agent-monitoring/settings";
const noKey = { configured: false, masked: null };
const openaiKey = "sk-proj-openai-0123456789";

/** Asks auth as a service of the installation does, for a project. */
function createAsker(address: string, issuer: "gateway" | "judge") {
  const client = createInternalClient({
    issuer,
    audience: "auth",
    addresses: [address],
    rootSecret,
    clock: systemClock,
  });
  return {
    client,
    async ask(method: string, path: string, projectId: string, body?: unknown) {
      const answer = await client.forward({
        method,
        path: `${settingsPath}${path}`,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
        deadlineMs: 15_000,
      });
      return { status: answer.status, body: (await answer.body.json()) as Record<string, unknown> };
    },
    keysOf: (projectId: string) =>
      client.call(internalRoutes.readProviderKeys, { projectId }, { requestId: "request-1", deadlineMs: 15_000 }),
    settingsOf: async (projectId: string) =>
      (await client.call(internalRoutes.readAccessSettings, { projectId }, { requestId: "r", deadlineMs: 15_000 }))
        .settings,
  };
}

async function query(database: TestDatabase, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.adminUrl });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe("without accounts", () => {
  let database: TestDatabase;
  let service: Service;
  let gateway: ReturnType<typeof createAsker>;
  let judge: ReturnType<typeof createAsker>;
  let defaultKey: string;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { config } = readAuthConfig({
      PORT: "0",
      SERVICE_DB_URL: database.url,
      SERVICE_NATS_URL: "nats://127.0.0.1:1",
      SERVICE_INTERNAL_SECRET: rootSecret,
    });
    const logger = createLogger({ service: "auth", level: "silent" });
    service = createAuth(config, { logger, clock: systemClock, metrics: createMetrics() });
    const { address } = await service.start();
    await vi.waitFor(async () => expect((await service.readiness()).ready).toBe(true));
    gateway = createAsker(address as string, "gateway");
    judge = createAsker(address as string, "judge");
    const call = <R extends Parameters<InternalClient["call"]>[0]>(route: R, body: object) =>
      gateway.client.call(route, body as never, { requestId: "r", deadlineMs: 15_000 });
    defaultKey = (await call(internalRoutes.readDefaultKey, {})).apiKey as string;
    projectId = (await call(internalRoutes.resolveKey, { apiKey: defaultKey })).key?.projectId as string;
  });

  afterAll(async () => {
    await gateway?.client.close();
    await judge?.client.close();
    await service?.stop();
    await database?.drop();
  });

  test("keys are stored for the installation, encrypted, shown masked, and given to the judge alone", async () => {
    const stored = await gateway.ask("PUT", "/llm-keys", projectId, {
      openaiApiKey: ` ${openaiKey} `,
      geminiApiKey: "short",
    });
    const llm = {
      openai: { configured: true, masked: "sk-...6789" },
      anthropic: noKey,
      gemini: { configured: true, masked: "••••" },
    };
    expect(stored).toEqual({ status: 200, body: { llm } });
    expect(await gateway.settingsOf(projectId)).toEqual({ apiKey: defaultKey, platformModel: null, llm });
    expect(await judge.keysOf(projectId)).toEqual({
      organizationId: null,
      isTenant: false,
      keys: { openai: openaiKey, anthropic: null, gemini: "short" },
      platformModel: null,
      models: [],
      prices: [],
    });
    await expect(gateway.keysOf(projectId)).rejects.toThrow("could not answer");
    const rows = await query(database, "select encode(sealed_key, 'escape') as sealed from auth.provider_keys");
    expect(JSON.stringify(rows)).not.toContain("0123456789");
  });

  test("null removes a key, and keys that are not named stay", async () => {
    await gateway.ask("PUT", "/llm-keys", projectId, { openaiApiKey: openaiKey, anthropicApiKey: "sk-ant-0123456789" });
    const { body } = await gateway.ask("PUT", "/llm-keys", projectId, { openaiApiKey: null });
    expect(body).toMatchObject({ llm: { openai: noKey, anthropic: { configured: true, masked: "sk-...6789" } } });
  });

  test.each([
    [{}],
    [[]],
    [{ openaiApiKey: "" }],
    [{ openaiApiKey: 7 }],
    [{ openaiApiKey: "two\nlines" }],
    [{ geminiApiKey: "x".repeat(501) }],
  ])("%j is no change of keys: 400, and nothing is stored", async (body) => {
    const before = await judge.keysOf(projectId);
    expect(await gateway.ask("PUT", "/llm-keys", projectId, body)).toMatchObject({ status: 400 });
    expect(await judge.keysOf(projectId)).toEqual(before);
  });

  test("the platform model is the project's, until null makes it the installation's again", async () => {
    expect(await gateway.ask("PUT", "/platform-model", projectId, { model: " gpt-4.1 " })).toEqual({
      status: 200,
      body: { platformModel: "gpt-4.1" },
    });
    expect((await judge.keysOf(projectId)).platformModel).toBe("gpt-4.1");
    for (const model of [undefined, 7, " ", "x".repeat(600)]) {
      expect(await gateway.ask("PUT", "/platform-model", projectId, { model })).toMatchObject({ status: 400 });
    }
    await gateway.ask("PUT", "/platform-model", projectId, { model: null });
    expect((await judge.keysOf(projectId)).platformModel).toBeNull();
  });

  test("every change is in the log, without a character of a key", async () => {
    await gateway.ask("PUT", "/llm-keys", projectId, { openaiApiKey: "sk-audited-0123456789", geminiApiKey: null });
    const rows = await query(
      database,
      "select action, details, project_id from auth.audit_events where action = 'provider-keys.changed' order by id desc limit 1",
    );
    expect(rows).toEqual([
      { action: "provider-keys.changed", details: { openai: "stored", gemini: "removed" }, project_id: projectId },
    ]);
    const log = await query(database, "select * from auth.audit_events");
    expect(JSON.stringify(log)).not.toContain("audited");
    expect(log.filter(({ action }) => action === "project.platform-model-set").map(({ details }) => details)).toEqual([
      { from: null, to: "gpt-4.1" },
      { from: "gpt-4.1", to: null },
    ]);
  });

  test("a regenerated key is a new one, the old one stops working, and gateways are notified", async () => {
    const resolve = async (apiKey: string) =>
      (await gateway.client.call(internalRoutes.resolveKey, { apiKey }, { requestId: "r", deadlineMs: 15_000 })).key;
    const { status, body } = await gateway.ask("POST", "/api-key/regenerate", projectId);
    expect(status).toBe(200);
    expect(await resolve(defaultKey)).toBeNull();
    expect((await resolve(body.apiKey as string))?.projectId).toBe(projectId);
    expect(await query(database, "select subject, body::json from auth.outbox")).toContainEqual({
      subject: "event.key.revoked.v1",
      body: { projectId },
    });
    expect((await gateway.settingsOf(projectId))?.apiKey).toBe(body.apiKey);
    const [logged] = await query(database, "select * from auth.audit_events order by id desc limit 1");
    expect(logged).toMatchObject({ action: "project.key-rotated", actor_type: "key", project_id: projectId });
    expect(JSON.stringify(logged)).not.toContain(body.apiKey);
  });

  test("a missing project has no settings and no keys", async () => {
    const missing = "01999999-0000-7000-8000-00000000dead";
    expect(await gateway.settingsOf(missing)).toBeNull();
    expect(await judge.keysOf(missing)).toMatchObject({ keys: { openai: null, anthropic: null, gemini: null } });
    expect(await gateway.ask("PUT", "/llm-keys", missing, { openaiApiKey: "sk-nobody-12345" })).toMatchObject({
      status: 401,
    });
  });

  test("the first account takes the keys with the projects they served", async () => {
    await gateway.ask("PUT", "/llm-keys", projectId, { openaiApiKey: openaiKey, anthropicApiKey: null });
    const accounts = await startAccounts(database);
    const owner = await accounts.resolve(await accounts.signUp("Ada"));
    try {
      expect(await judge.keysOf(projectId)).toMatchObject({
        organizationId: owner?.memberships[0]?.organizationId,
        isTenant: false,
        keys: { openai: openaiKey, anthropic: null },
      });
    } finally {
      await accounts.stop();
    }
  });
});

describe("with an organization for each account", () => {
  let database: TestDatabase;
  let accounts: TestAccounts;
  let gateway: ReturnType<typeof createAsker>;
  let judge: ReturnType<typeof createAsker>;

  beforeAll(async () => {
    database = await createTestDatabase();
    accounts = await startAccounts(database, { SERVICE_MULTI_TENANT: "true", SERVICE_OPEN_SIGNUP: "true" });
    gateway = createAsker(accounts.address, "gateway");
    judge = createAsker(accounts.address, "judge");
  });

  afterAll(async () => {
    await gateway?.client.close();
    await judge?.client.close();
    await accounts?.stop();
    await database?.drop();
  });

  /** Signs up and answers the organization and the project that came with it. */
  async function signUp(name: string) {
    const session = await accounts.resolve(await accounts.signUp(name));
    expect(session).toMatchObject({ memberships: [{ role: "owner" }], projects: [{}] });
    const [project] = session?.projects ?? [];
    return { userId: session?.userId as string, ...(project as { projectId: string; organizationId: string }) };
  }

  test("each sign-up has a workspace and a Default project, which stays; no account has a project of the installation", async () => {
    expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({ mode: "enabled", multiTenant: true });
    const { apiKey } = await gateway.client.call(
      internalRoutes.readDefaultKey,
      {},
      { requestId: "r", deadlineMs: 15_000 },
    );
    expect(apiKey).toBeNull();
    const [ada, grace] = [await signUp("Ada"), await signUp("Grace")];
    expect(ada.organizationId).not.toBe(grace.organizationId);
    expect(await query(database, "select name from auth.organizations order by id")).toEqual([
      { name: "Ada's Workspace" },
      { name: "Grace's Workspace" },
    ]);
    const { body } = await accounts.ask("GET", "/projects", { userId: ada.userId });
    expect(body).toMatchObject({ projects: [{ _id: ada.projectId, name: "Default", isDefault: true }] });
    await accounts.ask("POST", "/projects", { userId: ada.userId, body: { name: "second" } });
    expect(await accounts.ask("DELETE", `/projects/${ada.projectId}`, { userId: ada.userId })).toMatchObject({
      status: 400,
      body: { error: "The default project cannot be deleted" },
    });
  });

  test("an organization's keys are used by its projects, old and new, and by no others", async () => {
    const [own, other] = [await signUp("Own"), await signUp("Other")];
    await gateway.ask("PUT", "/llm-keys", own.projectId, { openaiApiKey: "sk-own-0123456789" });
    const made = await accounts.ask("POST", "/projects", { userId: own.userId, body: { name: "second" } });
    const second = (made.body.project as { _id: string })._id;
    for (const projectId of [own.projectId, second]) {
      expect(await judge.keysOf(projectId)).toMatchObject({
        organizationId: own.organizationId,
        isTenant: true,
        keys: { openai: "sk-own-0123456789" },
      });
    }
    expect(await judge.keysOf(other.projectId)).toMatchObject({
      organizationId: other.organizationId,
      isTenant: true,
      keys: { openai: null, anthropic: null, gemini: null },
    });
    expect((await gateway.settingsOf(other.projectId))?.llm.openai).toEqual(noKey);
    await query(database, `update auth.provider_keys set organization_id = '${other.organizationId}'`);
    await expect(judge.keysOf(other.projectId), "a row that was moved does not open").rejects.toThrow(
      "could not answer",
    );
  });
});

test("multi-tenant mode without accounts is a mistake at start", () => {
  const environment = {
    SERVICE_DB_URL: "postgres://127.0.0.1/touchstone",
    SERVICE_NATS_URL: "nats://127.0.0.1:1",
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_MULTI_TENANT: "true",
  };
  expect(() => readAuthConfig(environment)).toThrow("SERVICE_MULTI_TENANT: needs SERVICE_AUTH=enabled");
  expect(readAuthConfig({ ...environment, SERVICE_AUTH: "enabled" }).config.accounts?.multiTenant).toBe(true);
});
