import { routes } from "@touchstone/contracts";
import { createGauge, createMetrics, type Handler } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import { apiKey, projectId, startTestGateway, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  gateways.push(gateway);
  return gateway;
}

async function get(gateway: TestGateway, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.url + path, { headers });
  const text = await response.text();
  const body: unknown = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body };
}

test("health is 200 once everything a request needs is up, at the root and under the prefix", async () => {
  const gateway = await start();

  for (const path of ["/health", "/api/v1/health", "/health/live", "/api/v1/health/live"]) {
    const answer = await get(gateway, path);
    expect([path, answer.status, answer.body]).toEqual([path, 200, { status: "ok" }]);
  }
});

test("readiness names each store, and why one is not ready", async () => {
  const unready = { ready: false, checks: { schema: "migrating", database: "ok", bus: "connected" } };
  const gateway = await start({ readiness: { ingest: unready } });

  const [health, readiness, prefixed] = [
    await get(gateway, "/health"),
    await get(gateway, "/health/ready"),
    await get(gateway, "/api/v1/health/ready"),
  ];

  expect([health.status, health.body]).toEqual([503, { statusCode: 503, message: "Not ready: telemetry." }]);
  expect(readiness.status).toBe(503);
  expect(readiness.body).toEqual({
    status: "not_ready",
    checks: { database: "ok", telemetry: "ingest: schema: migrating; bus: connected" },
  });
  expect(prefixed.body).toEqual(readiness.body);
});

test("a service that is down is not ready, while the other services are ready and the gateway is live", async () => {
  const gateway = await start();
  await gateway.stopBehind("eval-runs");

  expect((await get(gateway, "/health/ready")).body).toEqual({
    status: "not_ready",
    checks: { database: "eval-runs: does not answer", telemetry: "ok" },
  });
  expect((await get(gateway, "/health")).status).toBe(503);
  expect((await get(gateway, "/health/live")).status).toBe(200);
  expect(await gateway.service.readiness()).toMatchObject({ ready: false });
});

test("monitor is waited for when a gateway starts, and later does not affect the readiness of others", async () => {
  const readiness = { monitor: { ready: false, checks: { schema: "migrating" } } };
  const gateway = await start({ readiness });

  expect((await get(gateway, "/health/ready")).body).toEqual({
    status: "not_ready",
    checks: { database: "monitor: schema: migrating", telemetry: "ok" },
  });
  expect((await get(gateway, "/health")).status).toBe(503);

  readiness.monitor = { ready: true, checks: { schema: "ok" } };
  expect((await get(gateway, "/health")).status).toBe(200);

  await gateway.stopBehind("monitor");
  expect((await get(gateway, "/health")).status).toBe(200);
});

test("a gateway that starts without a monitor is ready after half a minute", async () => {
  let nowMs = 0;
  const gateway = await start({ clock: { now: () => nowMs } });
  await gateway.stopBehind("monitor");

  nowMs = 29_999;
  expect((await get(gateway, "/health")).status).toBe(503);
  nowMs = 30_000;
  expect((await get(gateway, "/health")).status).toBe(200);
});

test("health is 200 when one replica of each service is ready", async () => {
  const other = await start();
  const gateway = await start({
    settings: { SERVICE_INGEST_URL: `http://127.0.0.1:1,${other.url}`, SERVICE_EVAL_RUNS_URL: `${other.url}/` },
  });

  expect((await get(gateway, "/health")).status).toBe(200);
});

test("readiness is 200 with the status ready when every store is ready", async () => {
  const gateway = await start();

  const answer = await get(gateway, "/health/ready");

  expect([answer.status, answer.body]).toEqual([200, { status: "ready", checks: { database: "ok", telemetry: "ok" } }]);
});

test("metrics are Prometheus text, count requests by operation, and hold no key or project", {
  tags: ["spec:metrics"],
}, async () => {
  const gateway = await start();
  await get(gateway, routes.listTraces.path, { "x-api-key": apiKey });
  await get(gateway, `/nothing/${apiKey}`);

  const answer = await get(gateway, "/metrics");

  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(answer.text).toContain(
    'service_http_requests_total{service="gateway",route="listTraces",status="200",method="GET"} 1',
  );
  expect(answer.text).toContain('route="unknown",status="404"');
  // A histogram has a sample for each bucket: one for each route, whatever its statuses, keeps a scrape short.
  expect(answer.text).toContain('service_http_request_duration_seconds_count{service="gateway",route="listTraces"} 1');
  expect(answer.text).toMatch(/^service_process_resident_memory_bytes \d+$/m);
  expect(answer.text).toMatch(/^service_process_uptime_seconds [\d.]+$/m);
  expect(answer.text).not.toContain(apiKey.slice(4, 20));
  expect((await get(gateway, "/api/v1/metrics")).status).toBe(200);
});

test("metrics include those of the services, by replica, and which one is missing", {
  tags: ["spec:metrics"],
}, async () => {
  const gateway = await start();
  await get(gateway, routes.listTraces.path, { "x-api-key": apiKey });
  await gateway.stopBehind("auth");

  const { text } = await get(gateway, "/metrics");

  expect(text).toMatch(/^service_up\{service="ingest",replica="127.0.0.1:\d+"\} 1$/m);
  expect(text).toMatch(/^service_up\{service="auth",replica="127.0.0.1:\d+"\} 0$/m);
  expect(text).toMatch(
    /^service_http_requests_total\{replica="127.0.0.1:\d+",service="ingest",route="listTraces",status="200",method="GET"\} 1$/m,
  );
  expect(text).toMatch(/^service_http_requests_total\{service="gateway",route="listTraces",.*\} 1$/m);
  // Each family is described once, and all its samples follow.
  expect(text.match(/^# TYPE service_http_requests_total counter$/gm)).toHaveLength(1);
});

test("a gateway that is stopping is not ready", async () => {
  const release: (() => void)[] = [];
  const gateway = await start({
    behind: {
      listTraces: () => new Promise((resolve) => release.push(() => resolve({ status: 200, body: {} }))),
    },
  });
  const inHand = get(gateway, routes.listTraces.path, { "x-api-key": apiKey });
  await vi.waitFor(() => expect(release).toHaveLength(1));

  const stopping = gateway.service.stop();

  expect((await get(gateway, "/health/ready")).body).toEqual({
    status: "not_ready",
    checks: { database: "ok", telemetry: "ok", process: "stopping" },
  });
  release[0]?.();
  expect((await inHand).status).toBe(200);
  await stopping;
});

test("with SERVICE_METRICS_TOKEN metrics need that token", { tags: ["spec:auth.metrics-token"] }, async () => {
  const gateway = await start({ settings: { SERVICE_METRICS_TOKEN: "the metrics token" } });

  for (const authorization of [
    "",
    "Bearer wrong",
    "Bearer the metrics toke",
    "Basic the metrics token",
    "the metrics token",
  ]) {
    const sent: Record<string, string> = authorization === "" ? {} : { authorization };
    const refused = await get(gateway, "/metrics", sent);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "text/plain; charset=utf-8"]);
    expect(refused.text).toBe("The metrics token is missing or wrong.\n");
    expect((await get(gateway, "/api/v1/metrics", sent)).status).toBe(401);
  }
  for (const path of ["/metrics", "/api/v1/metrics"]) {
    expect((await get(gateway, path, { authorization: "Bearer the metrics token" })).status).toBe(200);
  }
});

test("in multi-tenant mode metrics are closed until a token is set, also to a neighbour on the same machine", async () => {
  const tenants = { SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" };
  const closed = await start({ settings: tenants });
  const opened = await start({ settings: { ...tenants, SERVICE_METRICS_TOKEN: "the metrics token" } });
  const authorization = "Bearer the metrics token";

  for (const path of ["/metrics", "/api/v1/metrics"]) {
    for (const headers of [{}, { authorization }, { authorization: "Bearer " }]) {
      const { status, text } = await get(closed, path, headers as Record<string, string>);
      expect([status, text]).toEqual([401, "In multi-tenant mode metrics need SERVICE_METRICS_TOKEN.\n"]);
    }
    expect((await get(opened, path)).status).toBe(401);
    expect((await get(opened, path, { authorization })).status).toBe(200);
  }
});

const overviewPath = routes.getAdminOverview.path;
const auditPath = routes.listAllAuditEvents.path;
const systemPath = routes.getAdminSystem.path;

test("an installation without an admin token answers 404 on the admin routes, whatever token a request presents", {
  tags: ["spec:admin.overview"],
}, async () => {
  const gateway = await start();

  for (const headers of [{}, { "x-admin-token": "" }, { "x-admin-token": "undefined" }] as Record<string, string>[]) {
    for (const path of [overviewPath, auditPath, systemPath]) {
      const answer = await get(gateway, path, headers);
      expect([answer.status, answer.body], path).toEqual([404, { error: "Not found" }]);
    }
  }
  const posted = await fetch(gateway.url + overviewPath, { method: "POST", body: "{}" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("a wrong admin token is 401; with the right one an overview without a judge is 503, not zeros", {
  tags: ["spec:auth.admin-token"],
}, async () => {
  const token = "canary-of-the-admin-token";
  const readOrganizations: Handler = async () => ({
    status: 200,
    body: { organizations: [], unassigned: [projectId] },
  });
  const gateway = await start({ settings: { SERVICE_ADMIN_TOKEN: token }, behind: { readOrganizations } });

  for (const presented of ["", "wrong", `${token}x`, token.slice(0, -1), token.toUpperCase()]) {
    for (const path of [overviewPath, auditPath, systemPath]) {
      const refused = await get(gateway, path, { "x-admin-token": presented });
      expect([refused.status, refused.body], path).toEqual([401, { error: "Invalid admin token" }]);
    }
  }
  const keyed = await get(gateway, overviewPath, { "x-api-key": apiKey, authorization: `Bearer ${token}` });
  expect(keyed.status).toBe(401);
  const answer = await get(gateway, overviewPath, { "x-admin-token": token });
  expect([answer.status, answer.body]).toEqual([
    503,
    { statusCode: 503, message: "The judge service could not answer; retry." },
  ]);
  expect(JSON.stringify(gateway.log)).not.toContain(token);
});

test("GET /admin/system: shows what ingest stores beside the thresholds, and is 503 without ingest", async () => {
  const token = "the admin token";
  const stored = { databaseBytes: 3e12, ingestBytes: 2.5e12, spans: 4e8, spansPerSecond: 5_000, spansOfFiveWeeks: 12 };
  const readStoredAmounts: Handler = async () => ({ status: 200, body: stored });
  const settings = { SERVICE_ADMIN_TOKEN: token };
  const ingestMetrics = createMetrics();
  const sweep = createGauge(ingestMetrics, "service_ingest_retention_sweep_seconds");
  const gateway = await start({ settings, behind: { readStoredAmounts }, metrics: { ingest: ingestMetrics } });
  sweep.set(-1);
  const before = await get(gateway, systemPath, { "x-admin-token": token });
  sweep.set(4_200);

  const answer = await get(gateway, systemPath, { "x-admin-token": token });

  expect(before.body).toMatchObject({ retentionSweepSeconds: null });
  expect(JSON.stringify(before.body)).not.toContain('"name":"retentionSweepSeconds"');

  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(answer.body).toEqual({
    ...stored,
    retentionSweepSeconds: 4_200,
    thresholds: [
      { name: "ingestBytes", value: 2.5e12, threshold: 2e12, exceeded: true },
      { name: "spansPerSecond", value: 5_000, threshold: 5_000, exceeded: false },
      { name: "spansOfFiveWeeks", value: 12, threshold: 10_000_000, exceeded: false },
      { name: "retentionSweepSeconds", value: 4_200, threshold: 3_600, exceeded: true },
    ],
  });
  await gateway.stopBehind("ingest");
  expect((await get(gateway, systemPath, { "x-admin-token": token })).status).toBe(503);
});

test("GET /admin/audit: asks auth for a page, and is 400 for an invalid one, 503 without auth", async () => {
  const token = "the admin token";
  const asked: unknown[] = [];
  const page = { events: [], nextCursor: null };
  const readAudit: Handler = async (call) => {
    asked.push(await call.json());
    return { status: 200, body: page };
  };
  const gateway = await start({ settings: { SERVICE_ADMIN_TOKEN: token }, behind: { readAudit } });
  const read = (query: string) => get(gateway, auditPath + query, { "x-admin-token": token });

  const answer = await read("");
  expect([answer.status, answer.body, answer.headers.get("cache-control")]).toEqual([200, page, "no-store"]);
  await read(`?limit=200&cursor=${projectId}`);
  for (const query of ["?limit=0", "?limit=201", "?limit=x", "?cursor=x"]) {
    expect((await read(query)).status, query).toBe(400);
  }
  expect(asked).toEqual([
    { before: null, limit: 50 },
    { before: projectId, limit: 200 },
  ]);
  await gateway.stopBehind("auth");
  expect((await read("")).status).toBe(503);
});

test.each(["auth", "monitor"] as const)(
  "settings without %s are 503, never defaults that look chosen",
  async (away) => {
    const noKey = { configured: false, masked: null };
    const llm = { openai: noKey, anthropic: noKey, gemini: noKey };
    const monitoringDefaults = {
      coverageMode: "all",
      sampleRate: 1,
      retentionDays: 30,
      latencyThresholdMs: 1000,
      topicsEnabled: false,
      topicsSampleRate: 1,
      coherenceSweepEnabled: false,
      enabledBuiltinPatterns: [],
    };
    const settings = { apiKey, platformModel: null, llm };
    const gateway = await start({
      behind: {
        readAccessSettings: async () => ({ status: 200, body: { settings } }),
        readMonitoringDefaults: async () => ({ status: 200, body: { monitoringDefaults } }),
      },
    });
    const read = () => get(gateway, routes.readSettings.path, { "x-api-key": apiKey });
    const whole = await read();
    expect([whole.status, whole.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(whole.body).toMatchObject({ ...settings, monitoringDefaults });

    await gateway.stopBehind(away);

    const answer = await read();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(answer.body).toEqual({ statusCode: 503, message: expect.any(String) });
  },
);

test("the OpenAPI document is served as it was generated", async () => {
  const gateway = await start();

  const answer = await get(gateway, "/openapi.json");

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ openapi: expect.stringMatching(/^3\./), paths: expect.any(Object) });
});

test("an installation without the document reports it and serves everything else", async () => {
  const gateway = await start({ config: { openApiFile: "/nowhere/openapi.json" } });

  expect((await get(gateway, "/openapi.json")).status).toBe(503);
  expect((await get(gateway, "/health")).status).toBe(200);
});

const keyAs = (status: number) => async () => ({ status, body: { apiKey } });

test.each([
  ["true", `Default project API key: ${apiKey}`],
  ["false", `Default project API key: ${apiKey.slice(0, 8)}...`],
])("with SERVICE_PRINT_KEY=%s the start prints the line, and nothing logs it", async (setting, line) => {
  const printed: string[] = [];
  const gateway = await start({
    behind: { readDefaultKey: keyAs(200) },
    settings: { SERVICE_PRINT_KEY: setting },
    print: (text) => printed.push(text),
  });

  await vi.waitFor(() => expect(printed).toEqual([line]));
  expect(JSON.stringify(gateway.log)).not.toContain(apiKey.slice(0, 8));
});

test("the line with the key is printed once auth is ready", async () => {
  const printed: string[] = [];
  let status = 503;
  await start({
    behind: { readDefaultKey: async () => keyAs(status)() },
    print: (text) => printed.push(text),
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(printed).toEqual([]);

  status = 200;

  await vi.waitFor(() => expect(printed).toHaveLength(1));
});
