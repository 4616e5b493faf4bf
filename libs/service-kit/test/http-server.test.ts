import { connect } from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { internalRoutes, routes, serviceNames } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import {
  AppError,
  createHttpServer,
  createIdentitySigner,
  createInternalClient,
  createLogger,
  createMetrics,
  type Handler,
  type HttpServer,
  type Logger,
  systemClock,
} from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const logger = createLogger({ service: "test", level: "silent" });
const projectId = "00000000-0000-7000-8000-000000000001";
const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(
  handle: Handler,
  { log = logger }: { log?: Logger } = {},
): Promise<{ url: string; server: HttpServer; post: (init?: Post) => Promise<Response> }> {
  const server = createHttpServer({
    service: "eval-runs",
    routes: [{ route: routes.createDataset, handle }],
    rootSecret,
    clock: systemClock,
    logger: log,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  servers.push(server);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const path = routes.createDataset.path;
  const sign = createIdentitySigner({ issuer: "gateway", audience: "eval-runs", rootSecret, clock: systemClock });
  const identity = { projectId, organizationId: null, userId: null, role: "key" as const, requestId: "request-1" };
  return {
    url,
    server,
    post: ({ body = "{}", headers = {} } = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-touchstone-identity": sign({ ...identity, method: "POST", path }),
          ...headers,
        },
      }),
  };
}

interface Post {
  body?: string | Buffer<ArrayBuffer>;
  headers?: Record<string, string>;
}

const echo: Handler = async (call) => ({
  status: 201,
  body: { got: await call.json(), project: call.identity.projectId },
});

test("a handler gets the verified identity and the parsed body", async () => {
  const { post } = await serve(echo);

  const response = await post({ body: '{"name":"weather"}', headers: { "x-request-id": "from-the-gateway" } });

  expect(response.status).toBe(201);
  expect(response.headers.get("x-request-id")).toBe("from-the-gateway");
  expect(await response.json()).toEqual({ got: { name: "weather" }, project: projectId });
});

test("without a valid identity nothing is served", async () => {
  const { post } = await serve(echo);

  expect((await post({ headers: { "x-touchstone-identity": "forged.signature" } })).status).toBe(401);
});

test("a valid identity opens nothing to a service that the call graph does not admit", async () => {
  const asked = { public: routes.createDataset, internal: internalRoutes.readProviderKeys };
  const server = createHttpServer({
    service: "auth",
    routes: Object.values(asked).map((route) => ({ route, handle: async () => ({ status: 200, body: {} }) })),
    rootSecret,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  servers.push(server);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const statusOf = async (issuer: (typeof serviceNames)[number] | null, path: string) => {
    const identity = { projectId, organizationId: null, userId: null, role: null, requestId: "request-1" };
    const headers: Record<string, string> = {};
    if (issuer !== null) {
      const sign = createIdentitySigner({ issuer, audience: "auth", rootSecret, clock: systemClock });
      headers["x-touchstone-identity"] = sign({ ...identity, method: "POST", path });
    }
    return (await fetch(url + path, { method: "POST", headers })).status;
  };

  for (const [name, admitted] of [
    ["public", "gateway"],
    ["internal", "judge"],
  ] as const) {
    for (const issuer of [...serviceNames, null]) {
      const expected = issuer === admitted ? 200 : 401;
      expect([issuer, name, await statusOf(issuer, asked[name].path)]).toEqual([issuer, name, expected]);
    }
  }
});

test("a compressed body is inflated", async () => {
  const { post } = await serve(echo);

  const response = await post({ body: gzipSync('{"a":1}'), headers: { "content-encoding": "gzip" } });

  expect(await response.json()).toMatchObject({ got: { a: 1 } });
});

test.each([
  ["text that is not JSON", "{", {}, 400],
  ["an empty body", "", {}, 400],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}, 400],
  ["another content type", "{}", { "content-type": "text/plain" }, 415],
  ["a content type that is none", "{}", { "content-type": "bogus;;;" }, 415],
  ["another charset", "{}", { "content-type": "application/json; charset=utf-16" }, 415],
  ["an unknown encoding", "{}", { "content-encoding": "br-x" }, 415],
  ["a body over the limit", Buffer.alloc(10 * 1024 * 1024 + 1, 0x20), {}, 413],
])("%s is refused in the global envelope", { tags: ["spec:envelope.global"] }, async (_what, body, headers, status) => {
  const { post } = await serve(echo);

  const response = await post({ body, headers });

  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ statusCode: status, message: expect.any(String) });
});

test("an unknown route is 404 in the global envelope", async () => {
  const { url } = await serve(echo);

  const response = await fetch(`${url}/api/v1/nothing`);

  expect([response.status, await response.json()]).toEqual([404, { statusCode: 404, message: "Not found" }]);
});

test("an expected failure keeps its status and message; a bug reveals nothing to the client", {
  tags: ["spec:envelope.global", "spec:status.500"],
}, async () => {
  const refused = await serve(async () => {
    throw new AppError("store_unavailable", "The database is unavailable; retry.", { cause: new Error("secret host") });
  });
  const broken = await serve(async () => {
    throw new Error("secret detail");
  });

  const unavailable = await refused.post();
  const failed = await broken.post();

  expect([unavailable.status, unavailable.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await unavailable.json()).toEqual({ error: "The database is unavailable; retry." });
  expect([failed.status, await failed.json()]).toEqual([500, { statusCode: 500, message: "Internal server error" }]);
});

test("a stop lets the open request finish and tells the client to close", async () => {
  let arrived = (): void => {};
  const isArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { post, server } = await serve(async () => {
    arrived();
    await isReleased;
    return { status: 201, body: {} };
  });
  const inHand = post();
  await isArrived;
  const stopping = server.stop();

  release();

  expect((await inHand).status).toBe(201);
  expect((await inHand).headers.get("connection")).toBe("close");
  await stopping;
});

test("a call to a service that is down is service_unavailable, and another replica is tried first", async () => {
  const { url } = await serve(echo);
  const dead = "http://127.0.0.1:1";
  const hop = {
    method: "POST",
    path: routes.createDataset.path,
    headers: { "content-type": "application/json" },
    body: Buffer.from("{}"),
    claims: { projectId, organizationId: null, userId: null, role: "key" as const, requestId: "request-1" },
    deadlineMs: 5_000,
  };
  const client = (addresses: string[]) =>
    createInternalClient({ issuer: "gateway", audience: "eval-runs", addresses, rootSecret, clock: systemClock });
  const [one, both] = [client([dead]), client([dead, url])];

  await expect(one.forward(hop)).rejects.toMatchObject({ code: "service_unavailable" });
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const answer = await both.forward(hop);
    await answer.body.dump();
    expect(answer.status).toBe(201);
  }
  await Promise.all([one.close(), both.close()]);
});

test("a service that never answers is given up at the deadline", async () => {
  const { url } = await serve(() => new Promise(() => {}));
  const client = createInternalClient({
    issuer: "gateway",
    audience: "eval-runs",
    addresses: [url],
    rootSecret,
    clock: systemClock,
  });

  await expect(
    client.forward({
      method: "POST",
      path: routes.createDataset.path,
      headers: { "content-type": "application/json" },
      body: Buffer.from("{}"),
      claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
      deadlineMs: 100,
    }),
  ).rejects.toMatchObject({ code: "service_unavailable", message: expect.stringContaining("did not answer in time") });
  await client.close();
});

test("a body that breaks off ends the request instead of blocking it", async () => {
  const { url } = await serve(echo);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once("close", resolve));

  socket.resume();
  socket.write(`POST ${routes.createDataset.path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"half`);
  socket.end();

  await closed;
});

test("requests over one connection leave no listeners on it", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on("warning", onWarning);
  const { post } = await serve(echo);

  for (let request = 0; request < 30; request += 1) await (await post()).arrayBuffer();

  await new Promise(setImmediate);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a handler is notified when its caller disconnects", async () => {
  let arrived = (_signal: AbortSignal): void => {};
  const isArrived = new Promise<AbortSignal>((resolve) => {
    arrived = resolve;
  });
  const { url } = await serve((call) => {
    arrived(call.signal);
    return new Promise(() => {});
  });
  const client = createInternalClient({
    issuer: "gateway",
    audience: "eval-runs",
    addresses: [url],
    rootSecret,
    clock: systemClock,
  });
  const caller = new AbortController();
  const asked = client.forward({
    method: "POST",
    path: routes.createDataset.path,
    claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
    deadlineMs: 10_000,
    signal: caller.signal,
  });
  const signal = await isArrived;

  caller.abort(new Error("gone"));

  await expect(asked).rejects.toThrow("gone");
  await vi.waitFor(() => expect(signal.aborted).toBe(true));
  await client.close();
});

test("a handler that stops because its caller disconnected is not a server failure", async () => {
  const logged: { level: string; outcome: string; status: number }[] = [];
  const log = createLogger(
    { service: "test", level: "debug" },
    { write: (line: string) => void logged.push(JSON.parse(line)) },
  );
  let arrived = (): void => {};
  const isArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { url } = await serve(
    async ({ signal }) => {
      arrived();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      signal.throwIfAborted();
      return { status: 200 };
    },
    { log },
  );
  const client = createInternalClient({
    issuer: "gateway",
    audience: "eval-runs",
    addresses: [url],
    rootSecret,
    clock: systemClock,
  });
  const caller = new AbortController();
  const asked = client.forward({
    method: "POST",
    path: routes.createDataset.path,
    claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
    deadlineMs: 10_000,
    signal: caller.signal,
  });
  await isArrived;

  caller.abort(new Error("gone"));

  await expect(asked).rejects.toThrow("gone");
  await vi.waitFor(() => expect(logged).toHaveLength(1));
  expect(logged[0]).toMatchObject({ level: "debug", outcome: "client_gone", status: 499 });
  await client.close();
});

test("a stream that failed before it could be sent breaks the connection instead of leaving its reader waiting", async () => {
  const { post } = await serve(async () => {
    const body = new Readable({ read() {} });
    body.destroy();
    await new Promise((resolve) => body.once("close", resolve));
    return { status: 200, body, contentType: "text/event-stream" };
  });

  await expect(post().then((response) => response.text())).rejects.toThrow();
});
