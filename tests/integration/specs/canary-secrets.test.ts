import { connect, type Socket } from "node:net";
import { buildDataset, buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type System, startSystem } from "../src/start-system.ts";
import { waitUntil } from "../src/wait-until.ts";

/** Secrets of the installation and of its callers. Each may appear only in its intended place. */
const secrets = {
  internalSecret: "canary-internal-secret-0123456789abcdef",
  metricsToken: "canary-metrics-token",
  adminToken: "canary-admin-token",
  smtpPassword: "canary-smtp-password",
  mailApiKey: "re_canary-mail-api-key",
  googleSecret: "canary-google-client-secret",
  githubSecret: "canary-github-client-secret",
  oidcSecret: "canary-oidc-client-secret",
  accountPassword: "canary-account-password",
  providerKey: "sk-canary-provider-key",
  databasePassword: "canary-database-password",
  redisPassword: "canary-redis-password",
  strangeKey: "tsk_canaryCanaryCanaryCanaryCanary00000000",
  bearer: "canary-bearer-token",
  basicPassword: "canary-basic-password",
  cookie: "canary-session-cookie",
  header: "canary-header-value",
  userInUrl: "canary-user-in-url",
};
/** User data: it belongs in answers to its owner and on the bus between services, and in no log or metric. */
const contents = {
  query: "canary-in-the-query",
  path: "canary-in-the-path",
  input: "canary-in-the-input",
  metadata: "canary-in-the-metadata",
  output: "canary-in-the-output",
  broken: "canary-in-broken-json",
  invalid: "canary-in-an-invalid-body",
  otlp: "canary-in-otlp",
};

let llm: ScriptedLlm;
let system: System;
/** The key of the first account's project. */
let apiKey = "";
let bus: Socket;
let onTheBus = "";
let answers = "";

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startSystem({
    settings: ({ databaseUrl, url }) => {
      const withPassword = new URL(databaseUrl);
      withPassword.password = secrets.databasePassword;
      return {
        SERVICE_DB_URL: withPassword.href,
        SERVICE_INTERNAL_SECRET: secrets.internalSecret,
        SERVICE_METRICS_TOKEN: secrets.metricsToken,
        SERVICE_ADMIN_TOKEN: secrets.adminToken,
        SERVICE_AUTH: "enabled",
        SERVICE_PUBLIC_URL: url,
        SERVICE_EMAIL_FROM: "touchstone@example.com",
        SERVICE_SMTP_URL: `smtp://mailer:${secrets.smtpPassword}@127.0.0.1:1`,
        SERVICE_RESEND_API_KEY: secrets.mailApiKey,
        SERVICE_GOOGLE_CLIENT_ID: "touchstone",
        SERVICE_GOOGLE_CLIENT_SECRET: secrets.googleSecret,
        SERVICE_GITHUB_CLIENT_ID: "touchstone",
        SERVICE_GITHUB_CLIENT_SECRET: secrets.githubSecret,
        SERVICE_OIDC_ISSUER: "http://127.0.0.1:1",
        SERVICE_OIDC_CLIENT_ID: "touchstone",
        SERVICE_OIDC_CLIENT_SECRET: secrets.oidcSecret,
        SERVICE_REDIS_URL: `redis://:${secrets.redisPassword}@127.0.0.1:1`,
        OPENAI_API_KEY: secrets.providerKey,
        OPENAI_BASE_URL: llm.baseUrl,
        SERVICE_JUDGE_RETRIES: "0",
        SERVICE_LOG_LEVEL: "trace",
        // The line with the default project's key is meant to be read.
        SERVICE_PRINT_KEY: "false",
      };
    },
  });
  bus = connect(system.nats.port, "127.0.0.1");
  bus.setEncoding("latin1").on("data", (text: unknown) => {
    onTheBus += String(text);
    if (String(text).includes("PING\r\n")) bus.write("PONG\r\n");
  });
  bus.on("error", () => undefined);
  bus.write('CONNECT {"verbose":false}\r\nSUB > 1\r\nPING\r\n');
  await waitUntil("the bus is heard", async () => onTheBus.includes("PONG"));
  apiKey = await signUp();
});

afterAll(async () => {
  bus?.destroy();
  await system?.stop();
  await llm?.stop();
});

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${system.url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(text !== undefined && { body: text }),
  });
  const answered = await answer.text();
  if (answer.status >= 400) answers += answered;
  return { status: answer.status, body: answered };
}

/** Creates the first account; returns the key of its project. */
async function signUp(): Promise<string> {
  const body = { name: "Ada", ...account };
  const headers = { origin: system.url, "content-type": "application/json" };
  const signedUp = await fetch(`${system.url}/api/v1/auth/sign-up/email`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const cookie = signedUp.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const listed = await fetch(`${system.url}/api/v1/projects`, { headers: { cookie } });
  const { projects } = (await listed.json()) as { projects: { apiKey: string }[] };
  expect(projects[0]?.apiKey).toMatch(/^tsk_/);
  return projects[0]?.apiKey ?? "";
}

const account = { email: "ada@example.com", password: secrets.accountPassword };
const own = () => ({ "x-api-key": apiKey });
const traces = "/api/v1/ingest/traces";

/** Everything that operators or the public can read. */
async function everythingWritten(): Promise<Record<string, string>> {
  const processes = [...Object.values(system.services), ...system.judges];
  const logs = Object.fromEntries(processes.map((service) => [`log of ${service.name}`, service.log()]));
  const metrics = await Promise.all(
    processes
      .filter(({ name }) => name !== "gateway")
      .map(async ({ name, address }) => [`metrics of ${name}`, await (await fetch(`${address}/metrics`)).text()]),
  );
  const shown = await fetch(`${system.url}/metrics`, { headers: { authorization: `Bearer ${secrets.metricsToken}` } });
  expect(shown.status).toBe(200);
  return { ...logs, ...Object.fromEntries(metrics), "metrics of the gateway": await shown.text(), refusals: answers };
}

/** Where any of the texts occurs, by name, in plain text or as base64. */
function find(texts: Record<string, string>, places: Record<string, string>): string[] {
  return Object.entries(places).flatMap(([place, written]) =>
    Object.entries(texts)
      .filter(([, text]) =>
        [text, Buffer.from(text).toString("base64").replace(/=+$/, "")].some((form) => written.includes(form)),
      )
      .map(([name]) => `${name} in ${place}`),
  );
}

test("no secret and no user data is in a log, a metric or a refusal; no secret is on the bus", async () => {
  const basic = Buffer.from(`x:${secrets.basicPassword}`).toString("base64");
  const stored = {
    name: "agent",
    input: { text: contents.input },
    metadata: { [contents.metadata]: contents.metadata },
  };
  expect(
    (await send("POST", traces, { ...own(), "x-canary": secrets.header, cookie: `a=${secrets.cookie}` }, stored))
      .status,
  ).toBe(201);
  const page = { origin: system.url };
  const attempts: [string, string, Record<string, string>, unknown?][] = [
    ["POST", traces, { "x-api-key": secrets.strangeKey }, stored],
    ["POST", traces, { authorization: `Bearer ${secrets.bearer}` }, stored],
    ["POST", "/api/v1/otel/v1/traces", { authorization: `Basic ${basic}` }, {}],
    ["GET", traces, { cookie: `touchstone.session_token=${secrets.cookie}` }],
    ["GET", `${traces}?cursor=${contents.query}&limit=${contents.query}`, own()],
    ["GET", `${traces}/${contents.path}`, own()],
    ["GET", `/api/v1/nothing/${contents.path}?key=${secrets.userInUrl}`, own()],
    ["POST", traces, own(), `{"name": "${contents.broken}"`],
    ["POST", traces, own(), { name: 1, input: contents.invalid, latency_ms: contents.invalid }],
    ["POST", "/api/v1/otel/v1/traces", own(), { resourceSpans: contents.otlp }],
    ["GET", "/metrics", { authorization: `Bearer ${secrets.bearer}` }],
    ["GET", "/api/v1/admin/overview", { "x-admin-token": secrets.adminToken }],
    ["GET", "/api/v1/admin/audit", { "x-admin-token": secrets.bearer }],
    // A wrong password, a mail that is not delivered, unavailable providers.
    ["POST", "/api/v1/auth/sign-in/email", page, { ...account, password: secrets.accountPassword.repeat(2) }],
    ["POST", "/api/v1/auth/request-password-reset", page, { email: account.email }],
    ["POST", "/api/v1/auth/sign-in/oauth2", page, { providerId: "oidc" }],
    ["POST", "/api/v1/auth/sign-in/social", page, { provider: "github" }],
    ["POST", traces, { ...own(), "content-encoding": "br", "x-canary": secrets.header }, stored],
  ];
  for (const attempt of attempts) await send(...attempt);
  // A provider that repeats our key in its answer.
  llm.answerWith({ kind: "raw", status: 401, body: `{"error":{"message":"Incorrect key ${secrets.providerKey}"}}` });
  const run = await gradeOne(contents.output);
  expect(run).not.toContain(secrets.providerKey);
  expect(llm.requests.length).toBeGreaterThan(0);

  await waitUntil("the trace was announced", async () => onTheBus.includes("event.traces.stored"));
  await waitUntil("a mail was given up or is tried again", async () =>
    system.services.auth.log().includes("mail was not sent"),
  );
  const written = await everythingWritten();

  expect(find({ ...secrets, projectKey: apiKey, ...contents }, written)).toEqual([]);
  expect(find({ ...secrets, projectKey: apiKey }, { "the bus": onTheBus, "a graded result": run })).toEqual([]);
  // A search result repeats stored text, and would contain a canary.
  expect(find({ seen: "request answered" }, { log: written["log of gateway"] ?? "" })).toEqual(["seen in log"]);
  expect(find({ output: contents.output }, { "the bus": onTheBus })).toEqual(["output in the bus"]);
});

test("nor when the servers behind fail", async () => {
  await system.nats.stop();
  await system.database.drop();
  const answered = await send("POST", traces, own(), { name: "agent", input: contents.input });
  await send("GET", "/health/ready");

  expect(answered.status).toBe(503);
  expect(find({ ...secrets, projectKey: apiKey, ...contents }, await everythingWritten())).toEqual([]);
});

/** Has one output graded; returns the results as they arrived. */
async function gradeOne(text: string): Promise<string> {
  const evaluations = "/api/v1/custom-agent-evaluations";
  const made = await send("POST", `${evaluations}/datasets`, own(), buildDataset({}));
  const run = await send("POST", `${evaluations}/runs`, own(), {
    datasetId: JSON.parse(made.body)._id,
    evaluationSubject: { kind: "custom_agent", displayName: "agent" },
  });
  const { runId } = JSON.parse(run.body);
  const graded = await send("POST", `${evaluations}/runs/${runId}/results`, own(), {
    batchId: "one",
    results: [buildResult({ idempotencyKey: "one", output: { text } })],
  });
  expect(graded.status).toBe(200);
  return graded.body;
}
