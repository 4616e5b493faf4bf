import { createServer, type Server } from "node:net";
import { routes } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import { createLocalCounter } from "../src/limits/local-counter.ts";
import { apiKey, head, sendRaw, startTestGateway, strangeKey, type TestGateway } from "./test-gateway.ts";

const gateways: TestGateway[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  for (const server of servers.splice(0)) server.close();
});

async function start(settings: Record<string, string>): Promise<TestGateway> {
  const gateway = await startTestGateway({ settings });
  gateways.push(gateway);
  return gateway;
}

const traces = routes.submitTrace.path;

async function get(gateway: TestGateway, path: string, headers: Record<string, string> = { "x-api-key": apiKey }) {
  const response = await fetch(gateway.url + path, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const post = async (gateway: TestGateway, path: string, key = apiKey) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: "{}",
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test("answers report the remaining requests in draft-7 headers, and the first request beyond the limit is 429", {
  tags: ["spec:limit.rate.address", "spec:envelope.rate-limit", "spec:429.rate-limit"],
}, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "3" });

  const answers = [];
  for (let request = 0; request < 4; request += 1) answers.push(await get(gateway, traces));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  for (const [index, { headers }] of answers.entries()) {
    expect(headers.get("ratelimit-policy")).toBe("3;w=60");
    expect(headers.get("ratelimit")).toMatch(
      new RegExp(`^limit=3, remaining=${Math.max(2 - index, 0)}, reset=(60|5\\d)$`),
    );
  }
  const [refused] = answers.slice(-1);
  expect(refused?.text).toBe('{"statusCode":429,"message":"Too many requests"}');
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(50);
});

test("a refused request reaches no service, so that it can be sent again later", {
  tags: ["spec:retry.safe"],
}, async () => {
  const heard: string[] = [];
  const gateway = await startTestGateway({
    behind: {
      createDataset: async (call) => {
        heard.push(String(((await call.json()) as { name: unknown }).name));
        return { status: 201, body: {} };
      },
    },
    settings: { SERVICE_RATE_LIMIT_KEY_EVAL: "1" },
  });
  gateways.push(gateway);
  const create = async (name: string) => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const body = JSON.stringify({ name });
    return (await fetch(gateway.url + routes.createDataset.path, { method: "POST", headers, body })).status;
  };

  expect([await create("first"), await create("second")]).toEqual([201, 429]);
  expect(heard).toEqual(["first"]);
});

test("requests refused for their key or body count, requests for unknown addresses do not", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "2" });

  await get(gateway, "/nothing");
  const statuses = [];
  for (const key of ["", strangeKey, strangeKey]) statuses.push((await post(gateway, traces, key)).status);

  expect(statuses).toEqual([401, 401, 429]);
  expect((await get(gateway, "/nothing")).headers.has("ratelimit")).toBe(false);
});

test("credential routes and all others are counted apart", { tags: ["spec:limit.rate.address"] }, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_CREDENTIAL: "1", SERVICE_RATE_LIMIT_DATA_PLANE: "2" });

  expect((await get(gateway, "/api/v1/auth/config")).status).toBe(200);
  expect((await get(gateway, "/projects")).status).toBe(429);
  expect((await get(gateway, "/metrics")).status).toBe(429);
  expect((await get(gateway, traces)).status).toBe(200);
  expect((await get(gateway, "/health")).status).toBe(200);
  expect((await get(gateway, "/health")).status).toBe(429);
});

test("on the OTLP routes a rate limit is { message }, as exporters expect", {
  tags: ["spec:envelope.otlp"],
}, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1" });
  const otlp = routes.receiveTraces.path;
  await post(gateway, otlp);

  const refused = await post(gateway, otlp);

  expect([refused.status, refused.text]).toEqual([429, '{"message":"Too many requests"}']);
});

test("with SERVICE_RATE_LIMIT=off no request is counted or limited, and answers have no rate-limit headers", {
  tags: ["spec:limit.rate.address"],
}, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT: "off", SERVICE_RATE_LIMIT_DATA_PLANE: "1" });

  const answers = [await get(gateway, traces), await get(gateway, traces)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.headers.has("ratelimit")).toBe(false);
});

test("a limit per key counts writes, not reads, and is shown when it has fewer requests left than the limit per address", {
  tags: ["spec:limit.rate.key"],
}, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_KEY_INGEST: "2", SERVICE_RATE_LIMIT_KEY_EVAL: "1" });

  const sent = [];
  for (let request = 0; request < 3; request += 1) sent.push(await post(gateway, traces));
  const read = await get(gateway, traces);
  const runs = [
    await post(gateway, routes.createDataset.path),
    await get(gateway, routes.listDatasets.path),
    await post(gateway, routes.createRun.path),
    await get(gateway, routes.listDatasets.path),
  ];

  expect(sent.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(sent[0]?.headers.get("ratelimit-policy")).toBe("2;w=60");
  expect(sent[2]?.text).toBe('{"statusCode":429,"message":"Too many requests"}');
  expect(read.status).toBe(200);
  expect(read.headers.get("ratelimit-policy")).toBe("6000;w=60");
  expect(runs.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
});

test("a 429 reports the limit that refused the request, and when that limit admits the next one", {
  tags: ["spec:limit.rate.key", "spec:429.rate-limit"],
}, async () => {
  // The third request is the last one of the address and one too many of the key; the fourth is too many of both.
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "3", SERVICE_RATE_LIMIT_KEY_INGEST: "2" });
  const answers = [];
  for (let request = 0; request < 4; request += 1) answers.push(await post(gateway, traces));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  const [byKey, byAddress] = answers.slice(2);
  for (const [refused, limit] of [
    [byKey, 2],
    [byAddress, 3],
  ] as const) {
    const reset = /^limit=(\d+), remaining=0, reset=(\d+)$/.exec(refused?.headers.get("ratelimit") ?? "");
    expect(reset?.[1]).toBe(String(limit));
    expect(refused?.headers.get("retry-after")).toBe(reset?.[2]);
    expect(refused?.headers.get("ratelimit-policy")).toBe(`${limit};w=60`);
    expect(refused?.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(refused?.text).toBe('{"statusCode":429,"message":"Too many requests"}');
  }
});

test("each limit per key is switched by itself, and with SERVICE_RATE_LIMIT=off none counts", {
  tags: ["spec:limit.rate.key"],
}, async () => {
  const policiesOf = async (settings: Record<string, string>) => {
    const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "0", ...settings });
    const paths = [traces, routes.createCiRun.path, routes.createRun.path];
    return Promise.all(
      paths.map(async (path) => (await post(gateway, path)).headers.get("ratelimit-policy")?.split(";")[0] ?? null),
    );
  };
  const on = { SERVICE_RATE_LIMIT_PER_KEY: "on" };

  expect(await policiesOf({})).toEqual([null, null, null]);
  expect(await policiesOf(on)).toEqual(["300", "60", "60"]);
  expect(await policiesOf({ ...on, SERVICE_RATE_LIMIT_KEY_INGEST: "900", SERVICE_RATE_LIMIT_KEY_CI: "none" })).toEqual([
    "900",
    null,
    "60",
  ]);
  expect(await policiesOf({ SERVICE_RATE_LIMIT_KEY_EVAL: "5" })).toEqual([null, null, "5"]);
  expect(await policiesOf({ ...on, SERVICE_RATE_LIMIT: "off", SERVICE_RATE_LIMIT_KEY_CI: "5" })).toEqual([
    null,
    null,
    null,
  ]);
});

test("an address deletes 30 projects in 15 minutes, besides its other requests", {
  tags: ["spec:limit.rate.address"],
}, async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_CREDENTIAL: "1000" });
  const remove = () =>
    fetch(`${gateway.url}${routes.deleteProject.path.replace("{projectId}", "x")}`, {
      method: "DELETE",
      headers: { "x-api-key": apiKey },
    });

  const answers = [];
  for (let request = 0; request < 31; request += 1) answers.push(await remove());

  expect(answers.map(({ status }) => status)).toEqual([...Array(30).fill(200), 429]);
  expect(answers[0]?.headers.get("ratelimit-policy")).toBe("30;w=900");
  const [refused] = answers.slice(-1);
  expect(refused?.headers.get("ratelimit")).toMatch(/^limit=30, remaining=0, reset=\d+$/);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(60);
  expect(await refused?.json()).toEqual({ statusCode: 429, message: "Too many requests" });
  expect((await get(gateway, "/projects")).status).toBe(200);
});

const forwarded = async (gateway: TestGateway, forwardedFor: string) => {
  const answer = await sendRaw(gateway.url, head("GET", "/health/live", { "x-forwarded-for": forwardedFor }));
  return Number(answer.slice(9, 12));
};

test("X-Forwarded-For is ignored by default", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1" });

  expect([await forwarded(gateway, "192.0.2.1"), await forwarded(gateway, "192.0.2.2")]).toEqual([200, 429]);
});

test("behind one proxy the address that the proxy saw counts, and addresses that a client claims do not", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "1" });

  expect(await forwarded(gateway, "192.0.2.1")).toBe(200);
  expect(await forwarded(gateway, "192.0.2.2")).toBe(200);
  expect(await forwarded(gateway, "203.0.113.9, 192.0.2.1")).toBe(429);
  expect(await forwarded(gateway, "2001:db8::1")).toBe(200);
  expect(await forwarded(gateway, "2001:db8::2")).toBe(429);
});

test("behind two proxies the second address from the right counts, and an invalid one counts as the socket's", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "2" });

  expect(await forwarded(gateway, "203.0.113.1, 192.0.2.1, 10.0.0.1")).toBe(200);
  expect(await forwarded(gateway, "203.0.113.2, 192.0.2.1, 10.0.0.2")).toBe(429);
  expect(await forwarded(gateway, "203.0.113.1, 192.0.2.2, 10.0.0.1")).toBe(200);
  expect(await forwarded(gateway, "not-an-address, 10.0.0.1")).toBe(200);
  expect(await forwarded(gateway, "another, 10.0.0.1")).toBe(429);
});

test("proxies can be named by their subnet, or all be trusted", async () => {
  const named = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "127.0.0.0/8, 10.0.0.0/8" });
  const foreign = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "10.0.0.0/8" });
  const all = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "true" });

  expect([await forwarded(named, "192.0.2.1, 10.1.1.1"), await forwarded(named, "192.0.2.2, 10.1.1.1")]).toEqual([
    200, 200,
  ]);
  expect(await forwarded(named, "192.0.2.1")).toBe(429);
  expect([await forwarded(foreign, "192.0.2.1"), await forwarded(foreign, "192.0.2.2")]).toEqual([200, 429]);
  expect([await forwarded(all, "192.0.2.1, 10.1.1.1"), await forwarded(all, "192.0.2.1, 10.2.2.2")]).toEqual([
    200, 429,
  ]);
});

test("a window has no more left than its length, whatever fraction of a millisecond the clock shows", () => {
  let nowMs = 0;
  const counter = createLocalCounter({ windowMs: 60_000, subjectsMax: 10, nowMs: () => nowMs });

  // A sum that a double rounds up: less the same number it is 60000.00000000001.
  nowMs = 16_973.55476978275;
  expect(counter.count("a")).toEqual({ counted: 1, leftMs: 60_000 });
  nowMs += 0.4;
  expect(counter.count("a")).toEqual({ counted: 2, leftMs: 60_000 });
  nowMs += 60_000;
  expect(counter.count("a")).toEqual({ counted: 1, leftMs: 60_000 });
});

test("addresses beyond the number of separate counters share counters: known ones keep theirs, and every address is counted", () => {
  let nowMs = 0;
  const counter = createLocalCounter({ windowMs: 60_000, subjectsMax: 3, nowMs: () => nowMs });
  const known = ["a", "b", "c"];
  for (const subject of known) expect(counter.count(subject)).toEqual({ counted: 1, leftMs: 60_000 });
  nowMs = 20_000;

  const strangers = Array.from({ length: 20_000 }, (_, index) => counter.count(`2001:db8:${index}::/64`));

  // Of twenty thousand a thousand counters: each of them would be over a limit of ten.
  expect(strangers.filter(({ counted }) => counted <= 10).length).toBeLessThanOrEqual(10_000);
  expect(Math.max(...strangers.map(({ counted }) => counted))).toBeGreaterThanOrEqual(20);
  for (const subject of known) expect(counter.count(subject)).toEqual({ counted: 2, leftMs: 40_000 });
  nowMs = 60_000;
  expect(counter.count("newcomer")).toEqual({ counted: 1, leftMs: 60_000 });
  expect(counter.count("a")).toEqual({ counted: 1, leftMs: 60_000 });
});

test("with a Redis that is down the limits hold", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "3", SERVICE_REDIS_URL: "redis://127.0.0.1:1" });

  const statuses = [];
  for (let request = 0; request < 4; request += 1) statuses.push((await get(gateway, traces)).status);

  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("with a Redis that accepts connections and never answers the limits hold, and no request waits for it", async () => {
  const dialled: number[] = [];
  const port = await listenSilently(() => dialled.push(1));
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "30", SERVICE_REDIS_URL: `redis://127.0.0.1:${port}` });

  const statuses = [];
  for (let request = 0; request < 31; request += 1) statuses.push((await get(gateway, traces)).status);

  expect(statuses).toEqual([...Array(30).fill(200), 429]);
  expect(dialled.length).toBeGreaterThan(0);
});

test("the password of a Redis that refuses it is not logged", async () => {
  const password = "canary-of-the-redis-password";
  const port = await listenSilently(
    () => undefined,
    "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
  );
  const gateway = await start({ SERVICE_REDIS_URL: `redis://user:${password}@127.0.0.1:${port}` });

  for (let request = 0; request < 5; request += 1) expect((await get(gateway, traces)).status).toBe(200);

  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ level: "warn", reason: expect.stringContaining("WRONGPASS") }),
    ),
  );
  expect(JSON.stringify(gateway.log)).not.toContain(password);
});

/** A server that accepts connections and sends nothing, or one fixed answer to everything. */
async function listenSilently(onConnection: () => void, answer?: string): Promise<number> {
  const server = createServer((socket) => {
    onConnection();
    socket.on("error", () => undefined);
    socket.on("data", () => (answer === undefined ? undefined : socket.write(answer)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
