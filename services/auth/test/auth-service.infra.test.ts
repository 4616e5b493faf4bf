import { createServer, connect as dial, type Server } from "node:net";
import { Writable } from "node:stream";
import { connectBus } from "@touchstone/bus";
import { internalRoutes, keyRevoked, type projectReply, routes } from "@touchstone/contracts";
import {
  createInternalClient,
  createLogger,
  createMetrics,
  type InternalClient,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import {
  createTestDatabase,
  findFreePort,
  openCommitRefusal,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { z } from "zod";
import { createAuth, readAuthConfig } from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const logLines: string[] = [];
const logger = createLogger(
  { service: "auth", level: "trace" },
  new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk));
      done();
    },
  }),
);
let nats: TestNats;
let database: TestDatabase;
const running: { service: Service; client: InternalClient }[] = [];
const proxies: Server[] = [];

beforeAll(async () => {
  nats = await startTestNats();
});

afterAll(async () => {
  await nats?.stop();
});

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await Promise.all(
    running.splice(0).map(async ({ service, client }) => {
      await client.close();
      await service.stop();
    }),
  );
  for (const proxy of proxies.splice(0)) proxy.close();
  await database.drop();
});

type Project = z.infer<typeof projectReply>["project"];

interface Answered {
  status: number;
  headers: Record<string, unknown>;
  /** The contents of all answers of auth's routes. */
  body: { apiKey: string; project: Project; projects: Project[] };
}

async function startAuth(overrides: Record<string, string> = {}) {
  const { config } = readAuthConfig({
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: nats.url,
    SERVICE_INTERNAL_SECRET: rootSecret,
    ...overrides,
  });
  const service = createAuth(config, { logger, clock: systemClock, metrics: createMetrics() });
  const { address } = await service.start();
  const client = createInternalClient({
    issuer: "gateway",
    audience: "auth",
    addresses: [address as string],
    rootSecret: overrides.SERVICE_INTERNAL_SECRET ?? rootSecret,
    clock: systemClock,
  });
  running.push({ service, client });
  const ask = async (method: string, path: string, projectId: string | null, body?: unknown): Promise<Answered> => {
    const answer = await client.forward({
      method,
      path,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      claims: { projectId, organizationId: null, userId: null, role: null, requestId: "request-1" },
      deadlineMs: 5_000,
    });
    const text = Buffer.from(await answer.body.arrayBuffer()).toString();
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) };
  };
  return {
    service,
    ask,
    resolve: async (apiKey: string) =>
      (await client.call(internalRoutes.resolveKey, { apiKey }, { requestId: "request-1", deadlineMs: 5_000 })).key,
    config: () => ask("GET", routes.getAuthConfig.path, null),
    untilReady: () => vi.waitFor(async () => expect((await service.readiness()).ready).toBe(true)),
    async stop() {
      running.splice(
        running.findIndex((entry) => entry.service === service),
        1,
      );
      await client.close();
      await service.stop();
    },
  };
}

async function startReadyAuth() {
  const auth = await startAuth();
  await auth.untilReady();
  const { apiKey } = (await auth.config()).body;
  const owner = await auth.resolve(apiKey);
  return { ...auth, apiKey: apiKey as string, projectId: owner?.projectId as string };
}

async function query(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("eight processes that start at once make one default project, and all know its key", async () => {
  const started = await Promise.all(Array.from({ length: 8 }, () => startAuth()));
  await Promise.all(started.map((auth) => auth.untilReady()));

  const answers = await Promise.all(started.map((auth) => auth.config()));

  expect(new Set(answers.map(({ body }) => body.apiKey)).size).toBe(1);
  expect(answers[0]?.body).toEqual({
    mode: "disabled",
    version: "0.1.0",
    needsSetup: false,
    apiKey: expect.stringMatching(/^tsk_/),
  });
  expect(answers[0]?.headers["cache-control"]).toBe("no-store");
  expect(await query("select name from auth.projects")).toEqual([{ name: "Default" }]);
});

test("the default key survives a restart", async () => {
  const first = await startReadyAuth();
  await first.stop();

  const second = await startReadyAuth();

  expect(second.apiKey).toBe(first.apiKey);
  expect(second.projectId).toBe(first.projectId);
});

test("an unknown key resolves to null", async () => {
  const auth = await startReadyAuth();

  expect(await auth.resolve("tsk_0123456789abcdefghijABCDEFGHIJxy0PImn9")).toBeNull();
  expect(await auth.resolve("")).toBeNull();
});

test("each created project has a separate key, and the list shows them oldest first", {
  tags: ["spec:auth.key.project", "spec:projects.list"],
}, async () => {
  const auth = await startReadyAuth();

  const created = await auth.ask("POST", routes.createProject.path, auth.projectId, { name: "weather" });
  const { body: list } = await auth.ask("GET", routes.listProjects.path, auth.projectId);

  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    project: {
      _id: expect.any(String),
      name: "weather",
      apiKey: expect.stringMatching(/^tsk_[0-9A-Za-z]{38}$/),
      isDefault: false,
      organizationId: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
  expect(list.projects).toEqual([
    expect.objectContaining({ _id: auth.projectId, name: "Default", apiKey: auth.apiKey, isDefault: true }),
    created.body.project,
  ]);
  expect(await auth.resolve(created.body.project.apiKey)).toEqual({
    projectId: created.body.project._id,
    organizationId: null,
  });
});

test("a project whose creation got a 500 or 503 does not exist, and is created once by a retry", {
  tags: ["spec:retry.safe"],
}, async () => {
  const auth = await startReadyAuth();
  const refusal = await openCommitRefusal(database.adminUrl, "auth");
  try {
    const before = await refusal.countRows();
    const create = () => auth.ask("POST", routes.createProject.path, auth.projectId, { name: "weather" });
    for (const [sqlState, status] of [
      ["53100", 503],
      ["P0001", 500],
    ] as const) {
      await refusal.refuse(sqlState);
      expect((await create()).status).toBe(status);
      expect(await refusal.countRows()).toEqual(before);
    }
    await refusal.refuse(null);
    expect((await create()).status).toBe(201);
  } finally {
    await refusal.close();
  }
  const { body: list } = await auth.ask("GET", routes.listProjects.path, auth.projectId);
  expect(list.projects.map(({ name }) => name)).toEqual(["Default", "weather"]);
});

test("a project without a name is 400 and is not created", async () => {
  const auth = await startReadyAuth();

  const refused = await auth.ask("POST", routes.createProject.path, auth.projectId, { name: "" });

  expect([refused.status, refused.body]).toEqual([400, { error: "name is required" }]);
  expect(await query("select from auth.projects")).toHaveLength(1);
});

test("a rotated key works at once, the old one no longer, and gateways are notified", async () => {
  const auth = await startReadyAuth();
  const bus = connectBus({ url: nats.url, service: "gateway", logger });
  const heard: unknown[] = [];
  await bus.listen(keyRevoked, (event) => heard.push(event));
  await vi.waitFor(() => expect(bus.status()).toBe("connected"));

  const rotated = await auth.ask("POST", rotatePath(auth.projectId), auth.projectId);

  expect(rotated.status).toBe(200);
  expect(rotated.body.project).toMatchObject({ _id: auth.projectId, name: "Default", isDefault: true });
  expect(rotated.body.project.apiKey).not.toBe(auth.apiKey);
  expect(await auth.resolve(rotated.body.project.apiKey)).toMatchObject({ projectId: auth.projectId });
  expect(await auth.resolve(auth.apiKey)).toBeNull();
  expect((await auth.config()).body.apiKey).toBe(rotated.body.project.apiKey);
  await vi.waitFor(() => expect(heard).toEqual([{ projectId: auth.projectId }]));
  await vi.waitFor(async () => expect(await query("select from auth.outbox")).toEqual([]));
  await bus.drain();
});

test("another project's key, a missing project and a malformed id rotate nothing", async () => {
  const auth = await startReadyAuth();
  const { body } = await auth.ask("POST", routes.createProject.path, auth.projectId, { name: "other" });
  const notFound = { status: 404, body: { error: "Project not found" } };

  for (const id of [body.project._id, "00000000-0000-7000-8000-000000000001", "nonsense", "%00"]) {
    expect(await auth.ask("POST", rotatePath(id), auth.projectId)).toMatchObject(notFound);
  }
  expect(await auth.resolve(body.project.apiKey)).not.toBeNull();
});

test("without NATS a key is rotated all the same, and the event goes out once NATS is back", async () => {
  const port = await findFreePort();
  const auth = await startAuth({ SERVICE_NATS_URL: `nats://127.0.0.1:${port}` });
  await auth.untilReady();
  const { apiKey } = (await auth.config()).body;
  const { projectId } = (await auth.resolve(apiKey)) ?? {};

  const rotated = await auth.ask("POST", rotatePath(projectId as string), projectId as string);
  expect(rotated.status).toBe(200);
  expect(await auth.resolve(apiKey)).toBeNull();
  expect(await query("select subject, body from auth.outbox")).toEqual([
    { subject: "event.key.revoked.v1", body: JSON.stringify({ projectId }) },
  ]);

  const late = await startTestNats({ port });
  await vi.waitFor(async () => expect(await query("select from auth.outbox")).toEqual([]));
  await late.stop();
});

test("a service started before its database answers 503 with the reason, and serves once the database is available", async () => {
  const target = new URL(database.url);
  const port = await findFreePort();
  const away = new URL(database.url);
  away.hostname = "127.0.0.1";
  away.port = String(port);
  const auth = await startAuth({ SERVICE_DB_URL: away.href });

  const refused = await auth.config();
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  expect(refused.body).toEqual({ error: "The service is starting; retry." });
  await expect(auth.resolve("tsk_0123456789abcdefghijABCDEFGHIJxy0PImn9")).rejects.toMatchObject({
    code: "service_unavailable",
  });
  await vi.waitFor(async () =>
    expect(await auth.service.readiness()).toMatchObject({
      ready: false,
      checks: { schema: "The database is unavailable; retry." },
    }),
  );

  const proxy = createServer((socket) => {
    const upstream = dial({ host: target.hostname, port: Number(target.port) });
    for (const end of [socket, upstream]) end.on("error", () => undefined);
    socket.pipe(upstream).pipe(socket);
  });
  proxies.push(proxy.listen(port, "127.0.0.1"));
  await auth.untilReady();
  expect((await auth.config()).status).toBe(200);
});

test("a service started with another root secret is not ready and reports it", async () => {
  const first = await startReadyAuth();
  await first.stop();

  const second = await startAuth({ SERVICE_INTERNAL_SECRET: "another root secret of some installation, long enough" });

  await vi.waitFor(async () =>
    expect(await second.service.readiness()).toMatchObject({
      ready: false,
      checks: { projects: "the stored keys cannot be read with this SERVICE_INTERNAL_SECRET" },
    }),
  );
  expect((await second.config()).status).toBe(503);
});

test.each([
  ["in multi-tenant mode", { SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" }],
  ["after the default project was deleted", { SERVICE_AUTH: "enabled" }],
])("a service with another root secret is not ready %s, and creates no project", async (_when, settings) => {
  const first = await startReadyAuth();
  await first.stop();
  await query("update auth.projects set is_default = false");

  const second = await startAuth({ ...settings, SERVICE_INTERNAL_SECRET: "another root secret, also long enough" });

  await vi.waitFor(async () =>
    expect((await second.service.readiness()).checks.projects).toMatch(/^the stored keys cannot be read/),
  );
  expect((await second.config()).status).toBe(503);
  expect(await query("select from auth.projects")).toHaveLength(1);
});

test("no key is logged or stored in the clear", async () => {
  const auth = await startReadyAuth();
  const { body } = await auth.ask("POST", routes.createProject.path, auth.projectId, { name: "canary" });
  const { body: rotated } = await auth.ask("POST", rotatePath(body.project._id), body.project._id);

  const stored = JSON.stringify([
    await query(
      "select encode(sealed_key, 'escape') sealed, encode(fingerprint, 'escape') found_by from auth.project_keys",
    ),
    await query("select * from auth.outbox"),
  ]);
  for (const key of [auth.apiKey, body.project.apiKey, rotated.project.apiKey]) {
    expect(logLines.join("")).not.toContain(key.slice(4, 20));
    expect(stored).not.toContain(key.slice(4, 20));
  }
  expect(logLines.length).toBeGreaterThan(0);
});

function rotatePath(projectId: string): string {
  return routes.rotateProjectKey.path.replace("{projectId}", projectId);
}

test("a project's own settings are exported without its key", { tags: ["spec:export.entity"] }, async () => {
  const auth = await startAuth();
  await auth.untilReady();
  const { body: config } = await auth.config();
  const owner = await auth.resolve(config.apiKey);
  const exported = await auth.ask("GET", routes.exportProjectSettings.path, owner?.projectId ?? null);

  expect(exported.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
  expect(exported.body).toEqual({
    id: owner?.projectId,
    projectId: owner?.projectId,
    name: "Default",
    isDefault: true,
    organizationId: null,
    createdAt: expect.stringMatching(/Z$/),
  });
  const counted = await auth.ask("POST", "/internal/export/count", null, {
    projectId: owner?.projectId,
    sinceMs: null,
  });
  expect(counted.body).toEqual({
    entities: [
      { entity: "project-settings", rows: 1 },
      { entity: "audit-events", rows: 0 },
    ],
  });
});
