import { routes } from "@touchstone/contracts";
import { createIdentitySigner, systemClock } from "@touchstone/service-kit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  apiKey,
  head,
  projectId,
  rootSecret,
  sendRaw,
  startTestGateway,
  strangeKey,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

let gateway: TestGateway;
const others: TestGateway[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(async () => {
  await gateway?.stop();
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.stop()));
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const other = await startTestGateway(options);
  others.push(other);
  return other;
}

const withKey = { "x-api-key": apiKey };
const json = { ...withKey, "content-type": "application/json" };
const traces = routes.submitTrace.path;
const otlp = routes.receiveTraces.path;
const unauthorized = { error: "Invalid or missing API key" };

async function ask(path: string, init: RequestInit = {}, url = gateway.url) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}

test("a request with a key reaches the owner under the key's project, with its bytes and its query", {
  tags: ["spec:auth.key"],
}, async () => {
  const answer = await ask(`${traces}?limit=5&cursor=a%2Fb`, { headers: withKey });

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ project: projectId, role: "key", query: { limit: "5", cursor: "a/b" } });
});

test("parameters travel as the client wrote them", async () => {
  const answer = await ask("/api/v1/ingest/sessions/a%2Fb%20c%C3%A9%25/spans?x=1", { headers: withKey });

  expect(answer.body).toMatchObject({ params: { sessionId: "a/b cé%" }, query: { x: "1" } });
});

test("every answer has a unique request id, which the service and the log line share", async () => {
  const answers = await Promise.all([
    ask(traces, { headers: { ...withKey, "x-request-id": "chosen-by-the-client" } }),
    ask(traces),
    ask("/nothing"),
  ]);

  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(answers[0].body.headers["x-request-id"]).toBe(ids[0]);
  expect(gateway.log.find((line) => line.requestId === ids[0])).toMatchObject({
    operation: "listTraces",
    method: "GET",
    status: 200,
    projectId,
    outcome: "ok",
  });
});

test("neither an identity nor a key that a client sends is passed on to the owner", async () => {
  const sign = createIdentitySigner({ issuer: "eval-runs", audience: "ingest", rootSecret, clock: systemClock });
  const forged = sign({
    projectId: "00000000-0000-7000-8000-00000000dead",
    organizationId: null,
    userId: null,
    role: "owner",
    requestId: "forged",
    method: "GET",
    path: traces,
  });

  const answer = await ask(traces, {
    headers: { ...withKey, "x-touchstone-identity": forged, "x-touchstone-other": "1", cookie: "a=b", "x-other": "1" },
  });

  expect(answer.body.project).toBe(projectId);
  expect(answer.body.headers["x-touchstone-identity"]).not.toBe(forged);
  expect(Object.keys(answer.body.headers)).not.toEqual(expect.arrayContaining(["x-touchstone-other"]));
  expect(JSON.stringify(answer.body.headers)).not.toContain(apiKey);
  expect(Object.keys(answer.body.headers).sort()).toEqual(
    ["accept", "connection", "host", "user-agent", "x-request-id", "x-touchstone-identity"].sort(),
  );
});

test.each([
  "/",
  "/nothing",
  "/api/v1",
  "/api/v1/ingest/traces/a/b",
  "/api/v1/%zz",
  "/internal/keys/resolve",
  `/api/v1/agents/${"x".repeat(1100)}`,
])("an unknown address, %s, is 404 in the global envelope", async (path) => {
  const answer = await ask(path, { headers: withKey });

  expect([answer.status, answer.body]).toEqual([404, { statusCode: 404, message: "Not found" }]);
  expect(answer.headers.get("x-request-id")).not.toBeNull();
});

test.each([
  ["PATCH", "/api/v1/projects", "GET, HEAD, POST"],
  ["GET", "/api/v1/otel/v1/traces", "POST"],
  ["GET", "/api/v1/otel/v1/traces/", "POST"],
  ["PUT", "/projects", "GET, HEAD, POST"],
  ["POST", "/health", "GET, HEAD"],
  ["OPTIONS", "/api/v1/otel/v1/traces", "POST"],
  ["PATCH", "/api/v1/custom-agent-evaluations/runs/x", "GET, HEAD, DELETE"],
])("%s %s is 405 and lists the allowed methods", async (method, path, allowed) => {
  const answer = await ask(path, { method });

  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
  if (method !== "HEAD") expect(answer.body).toEqual({ statusCode: 405, message: expect.stringContaining(method) });
});

test.each([
  ["no key", {}],
  ["an empty key", { "x-api-key": "" }],
  ["a key nobody has", { "x-api-key": strangeKey }],
  ["a key with a typo", { "x-api-key": `${apiKey.slice(0, -1)}0` }],
  ["another system's key", { "x-api-key": "sk-proj-0123456789" }],
  ["a key as bearer token where only the header counts", { authorization: `Bearer ${apiKey}` }],
  ["a session cookie", { cookie: "touchstone.session_token=x" }],
])("%s is 401", { tags: ["spec:auth.401", "spec:status.401"] }, async (_what, headers) => {
  const answer = await ask(traces, { headers: headers as Record<string, string> });

  expect([answer.status, answer.body]).toEqual([401, unauthorized]);
});

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });

test.each([
  ["x-api-key", { "x-api-key": apiKey }, 200],
  ["a bearer token", { authorization: `Bearer ${apiKey}` }, 200],
  ["a bearer token in small letters", { authorization: `bearer ${apiKey}` }, 200],
  ["basic with the key as password", basic(`x:${apiKey}`), 200],
  ["basic without a user", basic(`:${apiKey}`), 200],
  ["basic with a wrong password", basic(`x:${strangeKey}`), 401],
  ["basic without a colon", basic(apiKey), 401],
  ["basic that is not base64", { authorization: "Basic ***" }, 401],
  [
    "a wrong x-api-key beside a right bearer token",
    { "x-api-key": strangeKey, authorization: `Bearer ${apiKey}` },
    401,
  ],
  ["nothing", {}, 401],
])("on the OTLP paths a request with %s is admitted only if its key is known", async (_what, headers, status) => {
  const answer = await ask(otlp, {
    method: "POST",
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
    body: "{}",
  });

  expect(answer.status).toBe(status);
  if (status === 401) expect(answer.body).toEqual(unauthorized);
});

test("the OTLP paths may end with a slash, and the base address accepts traces", async () => {
  for (const path of ["/api/v1/otel/v1/traces/", "/api/v1/otel/v1/logs/", "/api/v1/otel", "/api/v1/otel/"]) {
    const answer = await ask(`${path}?a=1`, { method: "POST", headers: json, body: "{}" });
    expect([path, answer.status, answer.body.query]).toEqual([path, 200, { a: "1" }]);
  }
});

test("the projects are served at the root, too, with parameters passed on", async () => {
  const { projectId: project } = { projectId };

  expect((await ask("/projects?x=1", { headers: withKey })).body).toMatchObject({ project, query: { x: "1" } });
  expect((await ask("/api/v1/projects", { headers: withKey })).body).toMatchObject({ project });
  expect((await ask("/projects")).status).toBe(401);
});

test("a request with an absolute address, as sent to a proxy, is answered like any other", async () => {
  const answers = [
    await sendRaw(gateway.url, head("GET", `http://localhost${traces}?limit=7`)),
    await sendRaw(gateway.url, head("GET", "http://localhost/api/v1/agents/x%20y?limit=7")),
  ];

  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain('"query":{"limit":"7"}');
  }
  expect(answers[1]).toContain('"agentId":"x y"');
});

test("a route that is open asks for no key and names no project", async () => {
  const answer = await ask(routes.getAuthConfig.path, { headers: withKey });

  expect(answer.body).toMatchObject({ project: null, role: null });
});

test("a collector, and any client that accepts protobuf, reads refusals of the OTLP routes as google.rpc.Status", async () => {
  const refusals = [
    await ask(otlp, { method: "POST", headers: { accept: "application/x-protobuf" }, body: "" }),
    await ask(otlp, { method: "POST", headers: { "user-agent": "OpenTelemetry Collector/0.1" }, body: "" }),
  ];
  const others = [
    await ask(traces, { headers: { accept: "application/x-protobuf" } }),
    await ask(otlp, { method: "POST", headers: { "content-type": "application/x-protobuf" }, body: "" }),
  ];

  for (const refusal of refusals) {
    expect([refusal.status, refusal.headers.get("content-type")]).toEqual([401, "application/x-protobuf"]);
    expect(refusal.text).toBe("\b\u0010\u0012\u001aInvalid or missing API key");
  }
  for (const other of others) expect(other.body).toEqual(unauthorized);
});

test.each([
  ["JSON of another type", traces, "text/plain", {}, "POST"],
  ["no type", traces, "", {}, "POST"],
  ["a type that is no type", traces, "bogus;;;", {}, "POST"],
  ["another charset", traces, "application/json; charset=utf-16", {}, "POST"],
  ["another encoding", traces, "application/json", { "content-encoding": "br" }, "POST"],
  ["two encodings", traces, "application/json", { "content-encoding": "gzip, gzip" }, "POST"],
  ["protobuf on a JSON route", traces, "application/x-protobuf", {}, "POST"],
  ["text on an OTLP route", otlp, "text/plain", {}, "POST"],
  ["OTLP/JSON in another charset", otlp, "application/json;charset=latin1", {}, "POST"],
])("%s is 415 before the body is read", { tags: ["spec:status.415"] }, async (_what, path, type, headers, method) => {
  const answer = await sendRaw(
    gateway.url,
    head(method, path, { ...(type && { "content-type": type }), ...headers, "content-length": "1000" }),
  );

  expect(answer).toMatch(/^HTTP\/1.1 415 /);
  expect(answer).toContain('{"statusCode":415,"message":"');
});

test.each([
  ["application/json", traces],
  ["Application/JSON; charset=UTF-8", traces],
  ['application/json;charset="utf-8"', traces],
  ["application/x-protobuf", otlp],
  ["application/protobuf; messageType=x", otlp],
  ["application/json", otlp],
])("%s is passed on to %s", async (type, path) => {
  const answer = await ask(path, { method: "POST", headers: { ...withKey, "content-type": type }, body: "{}" });

  expect([answer.status, answer.body?.headers["content-type"]]).toEqual([200, type]);
});

test.each([
  "application/json;;;",
  "application/json; x",
  "application/json; =",
  'application/json; x="',
  "APPLICATION/JSON;\t",
  "bogus;;;",
  "a b/c",
])("a request of the content type %j is accepted or refused with 415, never with a 5xx", async (type) => {
  const rotate = routes.rotateProjectKey.path.replace("{projectId}", "x");
  const statusOf = async (path: string) => {
    const sent = head("POST", path, { "content-type": type, "content-length": "2" });
    return Number((await sendRaw(gateway.url, `${sent}{}`)).slice(9, 12));
  };

  expect([200, 415]).toContain(await statusOf(traces));
  expect(await statusOf(rotate)).toBe(200);
});

test("the checks come in their order: route, rate, key, size, type", async () => {
  const limited = await start({ settings: { SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_RATE_LIMIT_CREDENTIAL: "1" } });
  const everythingWrong = { "content-type": "bogus;;;", "content-length": String(11 * 1024 * 1024), "x-api-key": "no" };
  const send = (method: string, path: string, headers: Record<string, string>) =>
    sendRaw(limited.url, head(method, path, headers)).then((answer) => Number(answer.slice(9, 12)));

  expect(await send("POST", "/nothing", everythingWrong)).toBe(404);
  expect(await send("PATCH", traces, everythingWrong)).toBe(405);
  expect(await send("POST", traces, everythingWrong)).toBe(401);
  expect(await send("POST", traces, everythingWrong)).toBe(429);
  const free = await start({ settings: { SERVICE_RATE_LIMIT: "off" } });
  const sendFreely = (headers: Record<string, string>) =>
    sendRaw(free.url, head("POST", traces, headers)).then((answer) => Number(answer.slice(9, 12)));
  expect(await sendFreely({ ...everythingWrong, "x-api-key": apiKey })).toBe(413);
  expect(await sendFreely({ ...everythingWrong, "x-api-key": apiKey, "content-length": "5" })).toBe(415);
  expect(await sendFreely({ ...everythingWrong, host: "evil.example" })).toBe(403);
});

test("invalid JSON is passed on, because the service refuses it", async () => {
  const answer = await ask(traces, { method: "POST", headers: json, body: '{"name":' });

  expect(answer.body).toMatchObject({ text: '{"name":' });
});

test("pages of a trusted origin may send requests, and the headers allow it", async () => {
  const trusting = await start({ settings: { SERVICE_TRUSTED_ORIGINS: "https://app.example" } });
  const origin = { origin: "https://app.example" };

  const preflight = await ask(otlp, { method: "OPTIONS", headers: origin }, trusting.url);
  const answer = await ask(traces, { headers: { ...withKey, ...origin } }, trusting.url);
  const refused = await ask(traces, { headers: origin }, trusting.url);
  const untrusted = await ask(otlp, { method: "OPTIONS", headers: { origin: "https://evil.example" } }, trusting.url);
  const noBrowser = await ask(otlp, { method: "OPTIONS" }, trusting.url);

  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(preflight.headers.get("access-control-allow-methods")).toBe("POST");
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-api-key");
  for (const { headers } of [answer, refused]) {
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(headers.get("vary")).toBe("origin");
  }
  expect([answer.status, refused.status, untrusted.status, noBrowser.status]).toEqual([200, 401, 403, 405]);
});

test("without trusted origins no answer names one", async () => {
  const answer = await ask("/health/live", { headers: {} });

  expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("the log has every request except those for health, and never a key", async () => {
  const quiet = await start({});
  await ask("/health/live", {}, quiet.url);
  await ask("/health", {}, quiet.url);
  await ask(traces, { headers: withKey }, quiet.url);
  await ask(`/nothing/${apiKey}?key=${apiKey}`, { headers: withKey }, quiet.url);
  await ask(otlp, { method: "POST", headers: { authorization: `Bearer ${apiKey}` } }, quiet.url);

  const lines = quiet.log.filter((line) => line.msg === "request answered");
  expect(lines.map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ["listTraces", "ok"],
    ["unknown", "route_not_found"],
    ["receiveTraces", "ok"],
  ]);
  expect(JSON.stringify(quiet.log)).not.toContain(apiKey.slice(4, 20));
});
