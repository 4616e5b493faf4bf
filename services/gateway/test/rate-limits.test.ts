import { createServer, type Server } from "node:net";
import { routes } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
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

test("answers say in draft-7 headers what is left, and the one too many is 429 [spec:limit.rate.address] [spec:envelope.rate-limit] [spec:429.rate-limit]", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "3" });

  const answers = [];
  for (let request = 0; request < 4; request += 1) answers.push(await get(gateway, traces));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  for (const [index, { headers }] of answers.entries()) {
    expect(headers.get("ratelimit-policy")).toBe("3;w=60");
    expect(headers.get("ratelimit")).toMatch(
      new RegExp(`^limit=3, remaining=${Math.max(2 - index, 0)}, reset=(60|59)$`),
    );
  }
  const [refused] = answers.slice(-1);
  expect(refused?.text).toBe('{"statusCode":429,"message":"Too many requests"}');
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(50);
});

test("refusals of keys and bodies count too, addresses that are not there do not", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "2" });

  await get(gateway, "/nothing");
  const statuses = [];
  for (const key of ["", strangeKey, strangeKey]) statuses.push((await post(gateway, traces, key)).status);

  expect(statuses).toEqual([401, 401, 429]);
  expect((await get(gateway, "/nothing")).headers.has("ratelimit")).toBe(false);
});

test("credential routes and all others are counted apart [spec:limit.rate.address]", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_CREDENTIAL: "1", SERVICE_RATE_LIMIT_DATA_PLANE: "2" });

  expect((await get(gateway, "/api/v1/auth/config")).status).toBe(200);
  expect((await get(gateway, "/projects")).status).toBe(429);
  expect((await get(gateway, "/metrics")).status).toBe(429);
  expect((await get(gateway, traces)).status).toBe(200);
  expect((await get(gateway, "/health")).status).toBe(200);
  expect((await get(gateway, "/health")).status).toBe(429);
});

test("on the OTLP routes a rate limit is { message }, as exporters expect [spec:envelope.otlp]", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1" });
  const otlp = routes.receiveTraces.path;
  await post(gateway, otlp);

  const refused = await post(gateway, otlp);

  expect([refused.status, refused.text]).toEqual([429, '{"message":"Too many requests"}']);
});

test("switched off nothing is counted and nothing is said [spec:limit.rate.address]", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT: "off", SERVICE_RATE_LIMIT_DATA_PLANE: "1" });

  const answers = [await get(gateway, traces), await get(gateway, traces)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.headers.has("ratelimit")).toBe(false);
});

test("a limit per key counts what is sent, not what is read, and shows when it is the nearer one [spec:limit.rate.key]", async () => {
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

const forwarded = async (gateway: TestGateway, forwardedFor: string) => {
  const answer = await sendRaw(gateway.url, head("GET", "/health/live", { "x-forwarded-for": forwardedFor }));
  return Number(answer.slice(9, 12));
};

test("X-Forwarded-For is believed of nobody by default", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1" });

  expect([await forwarded(gateway, "192.0.2.1"), await forwarded(gateway, "192.0.2.2")]).toEqual([200, 429]);
});

test("behind one proxy the address it saw counts, and what a client claims beyond it does not", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "1", SERVICE_TRUST_PROXY: "1" });

  expect(await forwarded(gateway, "192.0.2.1")).toBe(200);
  expect(await forwarded(gateway, "192.0.2.2")).toBe(200);
  expect(await forwarded(gateway, "203.0.113.9, 192.0.2.1")).toBe(429);
  expect(await forwarded(gateway, "2001:db8::1")).toBe(200);
  expect(await forwarded(gateway, "2001:db8::2")).toBe(429);
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

test("with a Redis that is down the limits hold all the same", async () => {
  const gateway = await start({ SERVICE_RATE_LIMIT_DATA_PLANE: "3", SERVICE_REDIS_URL: "redis://127.0.0.1:1" });

  const statuses = [];
  for (let request = 0; request < 4; request += 1) statuses.push((await get(gateway, traces)).status);

  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("with a Redis that takes connections and never answers the limits hold, and nothing waits for it", async () => {
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

/** A server that takes connections and says nothing, or one thing to whatever it is told. */
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
