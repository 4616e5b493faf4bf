import { hash } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { adminSystem, projectSettings, type Route, routes } from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "../src/browser.ts";
import { type ApiClient, createClient } from "../src/client.ts";
import { findCanaries } from "../src/isolation/tenant.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";

/** Two accounts of one installation, each with an organization and a project. */
interface Tenant {
  browser: Browser;
  /** The session of the account. */
  cookie: string;
  projectId: string;
  apiKey: string;
  client: ApiClient;
  canary: string;
}

const environmentKey = "sk-environment-0123456789";
const quota = 3;
const adminToken = "the-token-of-the-operator";
const evaluations = "/custom-agent-evaluations";

interface Overview {
  organizations: { name: string }[];
  unassigned: object;
}

let llm: ScriptedLlm;
let system: CombinedSystem;
let ada: Tenant;
let grace: Tenant;

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startCombined({
    settings: {
      SERVICE_AUTH: "enabled",
      SERVICE_MULTI_TENANT: "true",
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: environmentKey,
      SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: String(quota),
      SERVICE_ADMIN_TOKEN: adminToken,
      SERVICE_RATE_LIMIT: "off",
    },
  });
  ada = await createTenant("Ada");
  grace = await createTenant("Grace");
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

async function createTenant(name: string): Promise<Tenant> {
  const email = `${name.toLowerCase()}@example.com`;
  const account = { name, email, password: "correct horse battery" };
  const { cookie } = await openBrowser(system.url, null).send("POST", "/auth/sign-up/email", { body: account });
  if (cookie === null) throw new Error(`The sign-up of ${name} opened no session.`);
  const browser = openBrowser(system.url, cookie);
  const { body } = await browser.send("GET", "/projects");
  const [project, ...others] = body.projects as { _id: string; apiKey: string; name: string; isDefault: boolean }[];
  expect(others).toEqual([]);
  expect(project).toMatchObject({ name: "Default", isDefault: true });
  const { _id: projectId, apiKey } = project as { _id: string; apiKey: string };
  const client = createClient({ url: system.url, apiKey });
  const canary = `canary${hash("sha256", name).slice(0, 16)}`;
  expect((await client.send("POST", "/ingest/traces", { name: `${canary} trace`, output: "fine" })).status).toBe(201);
  return { browser, cookie, projectId, apiKey, client, canary };
}

/** Grades this many results in a new run and returns the outcomes. */
async function grade({ client, canary }: Tenant, results: number): Promise<string[]> {
  const question = { main_question: { query: `${canary} question`, expectedResults: "fine" } };
  const made = await client.send("POST", `${evaluations}/datasets`, { name: canary, questions: [question] });
  const datasetId = (made.body as { _id: string })._id;
  const { runId } = (await client.send("POST", `${evaluations}/runs`, { datasetId })).body as { runId: string };
  const outcomes: string[] = [];
  for (let index = 0; index < results; index += 1) {
    const output = { text: `${canary} answer ${index}` };
    const result = {
      idempotencyKey: `result-${index}`,
      questionIndex: 0,
      input: { query: `${canary} question` },
      output,
    };
    const { status, body } = await client.send("POST", `${evaluations}/runs/${runId}/results`, {
      batchId: `batch-${index}`,
      results: [result],
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const [scored] = (body as { scoredResults: { status: string; justification: string }[] }).scoredResults;
    outcomes.push(scored?.status === "scored" ? "scored" : String(scored?.justification));
  }
  return outcomes;
}

const keysSeen = (): (string | null)[] => [...new Set(llm.requests.map(({ keyHash }) => keyHash))];
const readSettings = ({ client }: Tenant) =>
  client.expect({ status: 200, schema: projectSettings }, "GET", "/agent-monitoring/settings");

test("each account has an organization with a project; the installation has none, and no key to print", {
  tags: ["spec:mode.multi-tenant"],
}, async () => {
  const config = await ada.browser.send("GET", "/auth/config");
  expect(config.body).toMatchObject({ mode: "enabled", multiTenant: true, needsSetup: false });
  expect(config.body).not.toHaveProperty("apiKey");
  const { body } = await ada.browser.send("GET", "/auth-org/organizations");
  expect(body.organizations).toEqual([{ _id: expect.any(String), name: "Ada's Workspace", role: "owner" }]);
  expect(system.log()).not.toContain("Default project API key");
  // A tenant's project gets the defaults of every new project.
  const scorers = await ada.client.send("GET", "/agent-monitoring/judge-scorers");
  expect(JSON.stringify(scorers.body)).toContain("Session Baseline Judge");
});

test("each tenant is judged with its own key and has its own quota, which is no 429; no tenant uses the environment's key", {
  tags: ["spec:mode.multi-tenant", "spec:429.judge", "spec:limit.quota.judge"],
  timeout: 120_000,
}, async () => {
  expect(await grade(ada, 1)).toEqual([
    'Judge model "gpt-5.6-luna" needs a OpenAI API key. Add it under provider keys.',
  ]);
  expect(llm.requests).toEqual([]);

  const keyOf = ({ canary }: Tenant): string => `sk-own-${canary}`;
  for (const tenant of [ada, grace]) {
    const path = "/agent-monitoring/settings/llm-keys";
    expect((await tenant.client.send("PUT", path, { openaiApiKey: keyOf(tenant) })).status).toBe(200);
  }
  await expect.poll(async () => (await grade(ada, 1))[0], { interval: 500 }).toBe("scored");
  expect(keysSeen()).toEqual([hash("sha256", keyOf(ada))]);

  const spent = `Daily judge-call quota reached (${quota}/day for this organization). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.`;
  expect(await grade(ada, quota)).toEqual([...Array.from({ length: quota - 1 }, () => "scored"), spent]);
  expect(await grade(grace, 1)).toEqual(["scored"]);
  expect(keysSeen()).toEqual([hash("sha256", keyOf(ada)), hash("sha256", keyOf(grace))]);
  expect(keysSeen()).not.toContain(hash("sha256", environmentKey));
  const prompts = llm.requests.map(({ body }) => findCanaries(JSON.stringify(body)));
  expect(prompts.filter((canaries) => canaries.length > 1)).toEqual([]);
});

test("settings show the tenant's own keys, masked; a regenerated key works at once, and the old one stops working", async () => {
  await grace.client.send("PUT", "/agent-monitoring/settings/llm-keys", { openaiApiKey: null });
  await ada.client.send("PUT", "/agent-monitoring/settings/platform-model", { model: "gpt-4.1" });
  expect(await readSettings(ada)).toMatchObject({
    apiKey: ada.apiKey,
    platformModel: "gpt-4.1",
    platformModelDefault: "gpt-5.6-luna",
    llm: { openai: { configured: true, masked: expect.stringMatching(/^sk-\.\.\..{4}$/) } },
  });
  expect(await readSettings(grace)).toMatchObject({
    apiKey: grace.apiKey,
    platformModel: null,
    llm: { openai: { configured: false, masked: null } },
  });

  const { status, body } = await ada.client.send("POST", "/agent-monitoring/settings/api-key/regenerate");
  expect(status).toBe(200);
  const renewed = { ...ada, apiKey: (body as { apiKey: string }).apiKey };
  renewed.client = createClient({ url: system.url, apiKey: renewed.apiKey });
  expect((await ada.client.send("GET", "/agent-monitoring/settings")).status).toBe(401);
  expect((await readSettings(renewed)).apiKey).toBe(renewed.apiKey);
  expect((await grace.client.send("GET", "/agent-monitoring/settings")).status).toBe(200);
  // An event reports it; without the event a gateway would notice within 5 s.
  await expect.poll(async () => (await ada.client.send("GET", "/ingest/traces")).status).toBe(401);
  ada = renewed;
});

test("the operator sees each organization's judge calls and recorded traces per day", {
  tags: ["spec:admin.overview"],
}, async () => {
  const { client } = ada;
  const parent = await client.send("POST", "/ingest/traces", { name: "root", span_id: "root" });
  expect(parent.status).toBe(201);
  await client.send("POST", "/ingest/traces", { name: "child", span_id: "child", parent_span_id: "root" });
  const readOverview = async () => {
    const response = await fetch(`${system.url}/api/v1/admin/overview`, { headers: { "x-admin-token": adminToken } });
    const { organizations, unassigned } = (await response.json()) as Overview;
    return { organizations: organizations.toSorted((one, other) => one.name.localeCompare(other.name)), unassigned };
  };

  const each = { members: 1, projects: 1, traces24h: 1 };
  // Judge calls are stored every two seconds.
  await expect.poll(readOverview, { interval: 500 }).toMatchObject({
    organizations: [
      { ...each, name: "Ada's Workspace", traces24h: 2, judgeCalls24h: quota },
      { ...each, name: "Grace's Workspace", judgeCalls24h: 1 },
    ],
    unassigned: { projects: 0, judgeCalls24h: 0 },
  });
});

test("the operator sees how much is stored", { tags: ["spec:admin.overview"] }, async () => {
  const readSystem = async () => {
    const response = await fetch(`${system.url}/api/v1/admin/system`, { headers: { "x-admin-token": adminToken } });
    return adminSystem.parse(await response.json());
  };

  // PostgreSQL may update its statistics a minute later.
  await expect.poll(async () => (await readSystem()).spans, { timeout: 120_000, interval: 1_000 }).toBeGreaterThan(2);
  const { spans, spansOfFiveWeeks, databaseBytes, ingestBytes, thresholds } = await readSystem();
  expect(spansOfFiveWeeks).toBe(spans);
  expect(databaseBytes).toBeGreaterThan(ingestBytes);
  expect(thresholds.filter(({ exceeded }) => exceeded)).toEqual([]);
  const named = thresholds.map(({ name }) => name);
  expect(named).toEqual(expect.arrayContaining(["ingestBytes", "spansPerSecond", "spansOfFiveWeeks"]));
});

test("a session reads its own projects, and neither reads nor changes another organization's", {
  tags: ["spec:mode.multi-tenant"],
  timeout: 120_000,
}, async () => {
  const notFound = ["Project not found", "NotFoundError"] as const;
  const keyMissing = ["Invalid or missing API key", "UnauthorizedError"] as const;
  const bodyOf = ({ envelope }: Route, [sentence, kind]: readonly [string, string]): string =>
    JSON.stringify(envelope === "langfuse" ? { message: sentence, error: kind } : { error: sentence });
  const missing = "01999999-0000-7000-8000-00000000dead";
  const keyed = Object.values<Route>(routes).filter(({ authentication }) => authentication.includes("key"));
  const problems: string[] = [];
  let answers = 0;

  /** One of the two refusals, or `in`. */
  async function knock(route: Route, { cookie, canary }: Tenant, projectId: string): Promise<string> {
    const { method, path } = route;
    const response = await fetch(`${system.url}${path.replace(/\{\w+\}/g, missing)}`, {
      method,
      headers: {
        cookie: `touchstone.session_token=${cookie}`,
        "x-project-id": projectId,
        ...(method !== "GET" && { origin: system.url, "content-type": "application/json" }),
      },
      ...(method !== "GET" && { body: "{}" }),
    });
    answers += 1;
    const isLasting = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isLasting) await response.body?.cancel();
    const text = isLasting ? "" : await response.text();
    if (findCanaries(text).some((found) => found !== canary)) problems.push(`${path} tells`);
    if (response.status === 404 && text === bodyOf(route, notFound)) return "not found";
    return response.status === 401 && text === bodyOf(route, keyMissing) ? "key missing" : "in";
  }

  const reads = keyed.filter(({ method, rateGroup }) => method === "GET" && rateGroup === "dataPlane");
  const mutations = keyed.filter(({ method, id }) => method !== "GET" && id !== "createProject");
  const ofSessions = mutations.filter(({ authentication }) => authentication.includes("session"));
  const ofKeys = mutations.filter(({ authentication }) => !authentication.includes("session"));
  const tasks = [
    ...[...reads, ...ofSessions].map((route) => async () => {
      const refused = [await knock(route, grace, ada.projectId), await knock(route, grace, missing)];
      if (refused.some((how) => how !== "not found")) {
        problems.push(`${route.method} ${route.path}, foreign and missing: ${refused}`);
      }
    }),
    ...reads.map((route) => async () => {
      const own = await knock(route, ada, ada.projectId);
      if (own !== "in") problems.push(`${route.path}, one's own project: ${own}`);
    }),
    ...ofKeys.map((route) => async () => {
      const own = await knock(route, ada, ada.projectId);
      if (own !== "key missing") problems.push(`${route.method} ${route.path}: ${own}`);
    }),
  ];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await task();
    }),
  );
  expect(problems).toEqual([]);
  expect(reads.length).toBeGreaterThan(40);
  expect(ofSessions.length).toBeGreaterThan(30);
  expect(ofKeys.length).toBeGreaterThan(10);
  expect(answers).toBe(reads.length * 3 + ofSessions.length * 2 + ofKeys.length);
});

test("a stranger who guesses a password does not lock out its owner, neither at a new place nor on a known device", async () => {
  const account = { email: "grace@example.com", password: "correct horse battery" };
  const signIn = async (from: string, tried: string, cookie = ""): Promise<{ status: number; device: string }> => {
    const asking = request(`${system.url}/api/v1/auth/sign-in/email`, {
      method: "POST",
      localAddress: from,
      agent: false,
      headers: { origin: system.url, "content-type": "application/json", ...(cookie !== "" && { cookie }) },
    });
    asking.end(JSON.stringify({ ...account, password: tried }));
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    await text(answer);
    const set = answer.headers["set-cookie"]?.find((each) => each.startsWith("touchstone.device="));
    return { status: answer.statusCode ?? 0, device: set?.split(";")[0] ?? "" };
  };
  const { device } = await signIn("127.0.0.1", account.password);
  const stranger = "127.0.0.2";
  let guesses = 0;
  while ((await signIn(stranger, `guess ${guesses}`)).status === 401) guesses += 1;
  expect(guesses).toBeGreaterThanOrEqual(5);

  for (let time = 0; time < 5; time += 1) {
    void signIn(stranger, "a guess");
    expect((await signIn("127.0.0.1", account.password)).status).toBe(200);
    // A known device behind the same address.
    expect((await signIn(stranger, account.password, device)).status).toBe(200);
  }
});

test("with 52 projects and 20 idle streams each, an organization leaves streams and exports to another organization", {
  timeout: 120_000,
}, async () => {
  const keys = [ada.apiKey];
  for (let number = 2; number <= 52; number += 1) {
    const { body } = await ada.browser.send("POST", "/projects", { body: { name: `project ${number}` } });
    keys.push((body.project as { apiKey: string }).apiKey);
  }
  const idle: IncomingMessage[] = [];
  const open = async (apiKey: string, path: string): Promise<IncomingMessage> => {
    const asking = get(`${system.url}/api/v1${path}`, { agent: false, headers: { "x-api-key": apiKey } });
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    return answer;
  };
  const stream = "/ingest/traces/stream";
  try {
    const refusals = new Set<string>();
    for (const apiKey of keys) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => open(apiKey, stream)));
      const opened = answers.filter(({ statusCode }) => statusCode === 200);
      // Its last projects take slots from its first ones.
      expect(opened.length).toBeGreaterThan(10);
      for (const answer of opened) idle.push(answer.resume());
      for (const answer of answers) if (answer.statusCode !== 200) refusals.add(await text(answer));
    }
    expect([...refusals]).toEqual([
      '{"statusCode":429,"message":"Too many open streams: the organization has its share, 888 of the 1000 of this gateway."}',
    ]);

    const ofGrace = await Promise.all(Array.from({ length: 20 }, () => open(grace.apiKey, stream)));
    idle.push(...ofGrace);
    const exported = await open(grace.apiKey, "/export/traces");
    expect([...ofGrace, exported].map(({ statusCode }) => statusCode)).toEqual(Array(21).fill(200));
    expect(await text(exported)).toContain(grace.canary);
    expect(ofGrace.every(({ readableEnded }) => !readableEnded)).toBe(true);
  } finally {
    for (const answer of idle) answer.destroy();
  }
});
