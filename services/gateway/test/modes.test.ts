import { type Route, routes } from "@touchstone/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectId, startTestGateway, type TestGateway } from "./test-gateway.ts";

const publicUrl = "https://touchstone.example.com";
const unlimited = { SERVICE_RATE_LIMIT: "off" };
const session = {
  userId: "00000000-0000-7000-8000-00000000000a",
  memberships: [{ organizationId: "00000000-0000-7000-8000-00000000000b", role: "member" as const }],
  projects: [{ projectId, organizationId: "00000000-0000-7000-8000-00000000000b" }],
};

/** Default mode, and accounts. */
let open: TestGateway;
let closed: TestGateway;

beforeAll(async () => {
  open = await startTestGateway({ settings: unlimited });
  closed = await startTestGateway({
    settings: { ...unlimited, SERVICE_AUTH: "enabled", SERVICE_PUBLIC_URL: publicUrl },
    behind: {
      resolveSession: async (call) => {
        const { cookie } = (await call.json()) as { cookie: string };
        return { status: 200, body: { session: cookie === "good" ? session : null } };
      },
      finishProviderSignIn: async (call) => ({
        status: 302,
        headers: {
          location: `/welcome?path=${encodeURIComponent(call.identity.path)}`,
          "set-cookie": [`seen=${encodeURIComponent(String(call.headers.cookie))}`, "another=1"],
        },
      }),
    },
  });
});

afterAll(async () => {
  await Promise.all([open?.stop(), closed?.stop()]);
});

const every = Object.values<Route>(routes);

/** Sends a request without a body: a refusal before any route comes before one is needed. */
async function ask(gateway: TestGateway, { method, path }: Route, headers: Record<string, string> = {}) {
  const url = `${gateway.url}${path.replaceAll(/\{\w+\}/g, "x")}`;
  const answer = await fetch(url, { method, headers });
  const text = await answer.text();
  return { status: answer.status, text };
}

/** Of default mode: what needs accounts is not there. */
const isOfAccounts = ({ authentication }: Route): boolean =>
  authentication.every((way) => way === "account" || way === "session");

test("in default mode every route refuses a page of another origin, which might have rebound its name", {
  tags: ["spec:mode.default"],
}, async () => {
  const answered = await Promise.all(
    every.map(async (route) => {
      const { status, text } = await ask(open, route, { origin: "http://evil.example" });
      return { id: route.id, status, isNamed: text.includes("SERVICE_TRUSTED_ORIGINS") };
    }),
  );

  expect(answered).toEqual(every.map(({ id }) => ({ id, status: 403, isNamed: true })));
});

test("in default mode every route refuses a host name that is not its own", {
  tags: ["spec:mode.default"],
}, async () => {
  const { request } = await import("node:http");
  const { hostname, port } = new URL(open.url);
  const answered = await Promise.all(
    every.map(
      ({ id, method, path }) =>
        new Promise((resolve, reject) => {
          const asked = request(
            { hostname, port, method, path: path.replaceAll(/\{\w+\}/g, "x"), headers: { host: "evil.example" } },
            (answer) => resolve({ id, status: answer.statusCode, ...(answer.resume() && {}) }),
          );
          asked.once("error", reject).end();
        }),
    ),
  );

  expect(answered).toEqual(every.map(({ id }) => ({ id, status: 403 })));
});

test("in default mode only pages of the installation, and clients that are no pages, receive the key", {
  tags: ["spec:mode.default"],
}, async () => {
  const askFrom = async (gateway: TestGateway, site: string | null) =>
    (await ask(gateway, routes.getAuthConfig, site === null ? {} : { "sec-fetch-site": site })).status;

  for (const site of [null, "same-origin", "none"]) expect([site, await askFrom(open, site)]).toEqual([site, 200]);
  for (const site of ["same-site", "cross-site", ""]) expect([site, await askFrom(open, site)]).toEqual([site, 403]);
  // With accounts it holds no key.
  expect(await askFrom(closed, "cross-site")).toBe(200);
});

test("in default mode there are no accounts, and a cookie is not even read", {
  tags: ["spec:mode.default"],
}, async () => {
  const cookie = "touchstone.session_token=good";
  const ofAccounts = every.filter(isOfAccounts);
  const absent = await Promise.all(ofAccounts.map((route) => ask(open, route, { cookie })));
  expect(absent.map(({ status }) => status)).toEqual(ofAccounts.map(() => 404));

  const ofKeys = every.filter(({ authentication }) => authentication[0] === "key");
  const refused = await Promise.all(ofKeys.map((route) => ask(open, route, { cookie, "x-project-id": projectId })));
  expect(refused.map(({ status }) => status)).toEqual(ofKeys.map(() => 401));
});

test("a route without its version is 404, except for the projects and the operator's routes", {
  tags: ["spec:version.prefix"],
}, async () => {
  const native = every.filter(({ owner }) => owner !== "dropin");
  const bare = native.map(({ path }) => path.replace("/api/v1", "")).filter((path) => path !== "");
  const answered = await Promise.all(
    [...new Set(bare)].map(async (path) => ({ path, ...(await ask(open, { ...routes.listTraces, path })) })),
  );
  const found = answered.filter(({ text }) => text !== '{"statusCode":404,"message":"Not found"}');
  const ofOperator = ["/health", "/health/live", "/health/ready", "/metrics", "/openapi.json"];
  expect(found.map(({ path }) => path).toSorted()).toEqual([...ofOperator, "/projects"]);
});

/** The routes that a session opens by itself, repeated here: a new route is in no list, and needs a key. */
const bySession = [
  "GET /ingest/traces",
  "GET /ingest/traces/stream",
  "GET /ingest/tracked-agents",
  "PUT /ingest/tracked-agents",
];

/** The changes that a session may make in a named project: the rest of the data plane needs a key. */
const changedByPeople = [
  /^(POST|PUT|PATCH|DELETE) \/custom-agent-evaluations\/(datasets|evaluation-settings|prompts)(\/|$)/,
  /^DELETE \/custom-agent-evaluations\/runs\/\{runId\}$/,
  /^POST \/custom-agent-evaluations\/runs\/\{runId\}\/(finalize|rescore|analyze)$/,
  /^(POST|PUT|PATCH|DELETE) \/(evaluate|monitor|agent-monitoring)\//,
  /^POST \/feedback$/,
  /^(POST|DELETE) \/scores(\/\{scoreId\})?$/,
  /^DELETE \/ingest\/traces(\/\{traceId\})?$/,
];

/** The expected result, from the decision, for a route with keys or sessions; null where there is nothing to open. */
function expected({ method, path, authentication }: Route): { alone: boolean; withProject: boolean } | null {
  if (!authentication.some((way) => way === "key" || way === "session")) return null;
  const short = path.replace("/api/v1", "");
  if (/^\/(auth-org|projects)(\/|$)/.test(short)) return { alone: true, withProject: true };
  const isNamed = bySession.includes(`${method} ${short}`);
  const isChange = changedByPeople.some((pattern) => pattern.test(`${method} ${short}`));
  return { alone: isNamed, withProject: isNamed || isChange || method === "GET" };
}

test("a session cookie opens what belongs to accounts, the traces, and reads and people's changes of a named project; nothing else", {
  tags: ["spec:auth.routes"],
}, async () => {
  const headers = { cookie: "__Secure-touchstone.session_token=good", origin: publicUrl };
  const asked = every.flatMap((route) => {
    const rule = expected(route);
    // Settings and what shows keys are refused in their own words: see the tests of those.
    return rule === null ? [] : [{ route, rule }];
  });

  const opened = await Promise.all(
    asked.map(async ({ route }) => ({
      id: route.id,
      alone: (await ask(closed, route, headers)).status !== 401,
      withProject: (await ask(closed, route, { ...headers, "x-project-id": projectId })).status !== 401,
    })),
  );

  expect(opened).toEqual(asked.map(({ route, rule }) => ({ id: route.id, ...rule })));
  expect(opened.filter(({ alone }) => alone).length).toBeGreaterThan(8);
  expect(opened.filter(({ withProject }) => !withProject).map(({ id }) => id)).toEqual([
    "submitTrace",
    "submitSpanUpdates",
    "createAgent",
    "registerMedia",
    "evaluateTrace",
    "receiveTraces",
    "receiveTracesAtBase",
    "receiveLogs",
    "receiveMetrics",
    "importTraces",
    "createRun",
    "submitResults",
    "createCiRun",
    "submitCiResults",
    "finalizeCiRun",
    "createOutcome",
    "ingestLangfuseBatch",
    "createLangfuseScore",
    "createLangfusePrompt",
    "labelLangfusePrompt",
    "createLangfuseDataset",
    "createLangfuseDatasetItem",
    "createLangfuseRunItem",
    "deleteLangfuseRun",
    "registerLangfuseMedia",
    "reportLangfuseUpload",
    "callMcp",
  ]);
});

test("a session cookie that is forged, from http, or expired opens nothing", {
  tags: ["spec:auth.routes"],
}, async () => {
  for (const cookie of [
    "__Secure-touchstone.session_token=bad",
    "touchstone.session_token=good",
    "touchstone.session_token=bad; __Secure-touchstone.session_token=",
    "xtouchstone.session_token=good",
  ]) {
    expect((await ask(closed, routes.listTraces, { cookie })).status, cookie).toBe(401);
  }
  const good = "theme=dark; touchstone.session_token=bad; __Secure-touchstone.session_token=good";
  expect((await ask(closed, routes.listTraces, { cookie: good })).status).toBe(200);
});

test("every mutation under a session cookie needs an Origin that is trusted", async () => {
  const mutations = every.filter(
    (route) => route.method !== "GET" && (route.authentication.includes("account") || expected(route)?.withProject),
  );
  const headers = { cookie: "__Secure-touchstone.session_token=good" };

  const without = await Promise.all(mutations.map((route) => ask(closed, route, headers)));
  const foreign = await Promise.all(
    mutations.map((route) => ask(closed, route, { ...headers, origin: "https://evil.example" })),
  );

  expect(mutations.length).toBeGreaterThan(10);
  for (const answers of [without, foreign]) {
    expect(answers.map(({ status }) => status)).toEqual(mutations.map(() => 403));
    expect(answers.filter(({ text }) => !text.includes("INVALID_ORIGIN"))).toEqual([]);
  }
});

test("a browser that a provider sends back is admitted with the cookies of its sign-in, and receives new ones", {
  tags: ["spec:sign-in.oidc"],
}, async () => {
  const cookie = "theme=dark; __Secure-touchstone.state=a.b; __Secure-touchstone.session_token=old";
  const path = "/api/v1/auth/callback/oidc?code=a%2Fb&state=c&iss=https%3A%2F%2Fx.example";

  const answer = await fetch(`${closed.url}${path}`, { headers: { cookie }, redirect: "manual" });

  expect(answer.status).toBe(302);
  expect(decodeURIComponent(answer.headers.get("location") ?? "")).toBe(`/welcome?path=${path}`);
  expect(answer.headers.getSetCookie().map(decodeURIComponent)).toEqual([
    "seen=__Secure-touchstone.state=a.b; __Secure-touchstone.session_token=old",
    "another=1",
  ]);
});
