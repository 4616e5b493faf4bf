import { Writable } from "node:stream";
import { routes } from "@touchstone/contracts";
import {
  createHttpServer,
  createLogger,
  createMetrics,
  type HttpServer,
  type Service,
  systemClock,
} from "@touchstone/service-kit";
import {
  createScriptedClock,
  createTestDatabase,
  type ScriptedClock,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@touchstone/testkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GatewayConfig } from "../src/config.ts";
import { createGateway, readGatewayConfig } from "../src/index.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { echo, rootSecret } from "./test-gateway.ts";

/**
 * The gateway with a real auth process, PostgreSQL and NATS. The gateway's clock is scripted: it ages cache entries.
 */
let database: TestDatabase;
let nats: TestNats;
let auth: ServiceProcess;
let authSettings: Record<string, string>;
let ingest: HttpServer;
let gatewayConfig: GatewayConfig;
let gateways: Service[];
let clock: ScriptedClock;
let url: string;
let apiKey: string;
const printed: string[] = [];
const logLines: string[] = [];

beforeEach(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  authSettings = {
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: nats.url,
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_LOG_LEVEL: "trace",
  };
  auth = startServiceProcess("auth", authSettings);
  // A port that is chosen before its process listens may be taken meanwhile, by any connection of another test.
  authSettings.PORT = await vi.waitFor(() => portOf(auth));
  ingest = createHttpServer({
    service: "ingest",
    routes: [{ route: routes.listTraces, handle: echo }],
    rootSecret,
    clock: systemClock,
    logger: createLogger({ service: "ingest", level: "silent" }),
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const ingestUrl = await ingest.listen({ host: "127.0.0.1", port: 0 });
  clock = createScriptedClock(Date.now());
  gatewayConfig = readGatewayConfig({
    PORT: "0",
    SERVICE_INTERNAL_SECRET: rootSecret,
    SERVICE_NATS_URL: nats.url,
    SERVICE_AUTH_URL: `http://127.0.0.1:${authSettings.PORT}`,
    SERVICE_INGEST_URL: ingestUrl,
    SERVICE_EVAL_RUNS_URL: ingestUrl,
    SERVICE_MONITOR_URL: ingestUrl,
    SERVICE_DROPIN_URL: ingestUrl,
  }).config;
  printed.length = 0;
  logLines.length = 0;
  gateways = [];
  url = await startGateway((line) => printed.push(line));
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  apiKey = printed[0]?.replace("Default project API key: ", "") as string;
});

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await auth.kill("SIGKILL");
  await Promise.all([ingest.stop(), nats.stop()]);
  await database.drop();
});

/** The port of a process that serves. */
function portOf(serving: ServiceProcess): string {
  const [, port] = /"address":"http:\/\/[^"]*:(\d+)"[^\n]*"serving"/.exec(serving.output()) ?? [];
  expect(port, serving.output()).toBeDefined();
  return port as string;
}

async function startGateway(print?: (line: string) => void): Promise<string> {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk));
      done();
    },
  });
  const gateway = createGateway(gatewayConfig, {
    logger: createLogger({ service: "gateway", level: "trace" }, destination),
    clock,
    metrics: createMetrics(),
    ...(print && { print }),
  });
  gateways.push(gateway);
  return (await gateway.start()).address as string;
}

async function read(key: string, at = url): Promise<{ status: number; project: string | undefined }> {
  const answer = await fetch(at + routes.listTraces.path, { headers: { "x-api-key": key } });
  const body = (await answer.json()) as { project?: string };
  return { status: answer.status, project: body.project };
}

interface Shown {
  project: { _id: string; apiKey: string };
  projects: { _id: string; apiKey: string; name: string }[];
  apiKey: string;
}

async function ask(method: string, path: string, key: string | null, body?: unknown) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...(key !== null && { "x-api-key": key }), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Shown };
}

const rotate = (projectId: string, key: string) =>
  ask("POST", routes.rotateProjectKey.path.replace("{projectId}", projectId), key);

/** Asked seldom: on a slow machine auth takes a while to start, and the route takes 120 requests a minute. */
async function untilAuthAnswers(): Promise<void> {
  const isThere = async () => expect((await ask("GET", routes.getAuthConfig.path, null)).status).toBe(200);
  await vi.waitFor(isThere, { timeout: 60_000, interval: 1_000 });
}

test("the printed key is the one the config route hands out, and opens the default project", {
  tags: ["spec:auth.key.config", "spec:auth.config", "spec:mode.default"],
}, async () => {
  const config = await ask("GET", routes.getAuthConfig.path, null);

  expect(config.body).toEqual({
    mode: "disabled",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    needsSetup: false,
    apiKey,
  });
  expect(config.headers.get("cache-control")).toBe("no-store");
  expect(config.headers.get("access-control-allow-origin")).toBeNull();
  const { body } = await ask("GET", "/projects", apiKey);
  expect(await read(apiKey)).toEqual({ status: 200, project: body.projects[0]?._id });
});

test("each project's key opens that project", { tags: ["spec:auth.key"] }, async () => {
  const created = await ask("POST", "/api/v1/projects", apiKey, { name: "weather" });

  expect(created.status).toBe(201);
  expect(await read(created.body.project.apiKey)).toEqual({ status: 200, project: created.body.project._id });
  expect((await rotate(created.body.project._id, apiKey)).status).toBe(404);
  expect((await ask("POST", "/projects", "tsk_nobody", { name: "weather" })).status).toBe(401);
});

test("without auth a key seen lately works for a minute and another is 503, not 401; both work when auth is back", async () => {
  const other = (await ask("POST", "/projects", apiKey, { name: "never seen" })).body.project.apiKey;
  expect((await read(apiKey)).status).toBe(200);
  await auth.kill("SIGKILL");

  await clock.advance(6_000);
  expect((await read(apiKey)).status).toBe(200);
  await clock.advance(50_000);
  expect((await read(apiKey)).status).toBe(200);
  expect((await read(other)).status).toBe(503);
  expect((await read("tsk_not even a key")).status).toBe(401);
  await clock.advance(10_000);
  expect((await read(apiKey)).status).toBe(503);

  auth = startServiceProcess("auth", authSettings);
  await untilAuthAnswers();
  expect((await read(apiKey)).status).toBe(200);
  expect((await read(other)).status).toBe(200);
});

test("a rotated key stops at every gateway at once", async () => {
  const other = await startGateway();
  const { project } = await read(apiKey, other);
  await vi.waitFor(() => expect(logLines.join("").match(/bus connected/g)).toHaveLength(2));

  const rotated = await rotate(project as string, apiKey);

  // The clock does not move: only the event can have dropped it.
  await vi.waitFor(async () => expect((await read(apiKey, other)).status).toBe(401));
  expect((await read(rotated.body.project.apiKey, other)).project).toBe(project);
});

test("the gateway that relays a new key refuses the old one from then on, without NATS too", async () => {
  const { project } = await read(apiKey);
  await nats.kill("SIGKILL");

  const rotated = await rotate(project as string, apiKey);
  expect((await read(apiKey)).status).toBe(401);
  const second = rotated.body.project.apiKey;
  expect((await read(second)).status).toBe(200);

  const regenerated = await ask("POST", routes.regenerateApiKey.path, second);
  expect((await read(second)).status).toBe(401);
  expect(await read(regenerated.body.apiKey)).toEqual({ status: 200, project });
});

test("the gateway that relays the deletion of a project refuses its key from then on, without NATS too", async () => {
  const { project } = (await ask("POST", "/projects", apiKey, { name: "weather" })).body;
  expect((await read(project.apiKey)).status).toBe(200);
  await nats.kill("SIGKILL");

  const path = routes.deleteProject.path.replace("{projectId}", project._id);
  const deleted = await fetch(url + path, { method: "DELETE", headers: { "x-api-key": project.apiKey } });

  expect(deleted.status).toBe(204);
  expect(deleted.headers.get("x-internal-keys-revoked")).toBeNull();
  expect((await read(project.apiKey)).status).toBe(401);
});

test("without NATS a rotated key stops within 5 s at other gateways", async () => {
  const other = await startGateway();
  const { project } = await read(apiKey, other);
  await nats.kill("SIGKILL");

  const rotated = await rotate(project as string, apiKey);

  expect(rotated.status).toBe(200);
  expect((await read(rotated.body.project.apiKey, other)).status).toBe(200);
  await clock.advance(5_000);
  expect((await read(apiKey, other)).status).toBe(401);
});

test("a rotated key can neither rotate nor read keys, not even while it is cached", async () => {
  const { project } = await read(apiKey);
  await nats.kill("SIGKILL");
  await rotate(project as string, apiKey);

  expect((await rotate(project as string, apiKey)).status).toBe(401);
  expect((await ask("GET", "/projects", apiKey)).status).toBe(401);
});

test("no key reaches a log, neither the gateway's nor auth's", async () => {
  const created = await ask("POST", "/projects", apiKey, { name: "canary" });
  const { project } = await read(apiKey);
  const rotated = await rotate(project as string, apiKey);
  await read("tsk_0123456789abcdefghijABCDEFGHIJxy0PImn9");
  await auth.kill("SIGTERM");
  await clock.advance(6_000);
  await read(rotated.body.project.apiKey);

  const logs = auth.output() + logLines.join("");
  expect(logs).toContain('"operation":"listTraces"');
  for (const key of [apiKey, created.body.project.apiKey, rotated.body.project.apiKey, "tsk_0123456789abcdefghij"]) {
    expect(logs).not.toContain(key.slice(4, 20));
  }
});
