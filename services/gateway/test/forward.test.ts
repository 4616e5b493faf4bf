import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { routes } from "@touchstone/contracts";
import { type Answer, type Call, createInternalClient, systemClock } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import {
  apiKey,
  head,
  rootSecret,
  sendRaw,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const gateways: TestGateway[] = [];
const servers: Server[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  gateways.push(gateway);
  return gateway;
}

/** A server in ingest's place that does as it likes with the connection. */
async function startInstead(listener: Parameters<typeof createServer>[1]): Promise<TestGateway> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return start({ settings: { SERVICE_INGEST_URL: `http://127.0.0.1:${port}` } });
}

const mebibyte = 1024 * 1024;
const traces = routes.submitTrace.path;
const otlp = routes.receiveTraces.path;
const tooLarge = { statusCode: 413, message: "request entity too large" };

/** What the gateway complained about, besides the bus, which is away in these tests. */
const troublesOf = ({ log }: TestGateway) =>
  log.filter(({ level, msg }) => level !== "info" && level !== "debug" && !String(msg).startsWith("bus"));

const post = (gateway: TestGateway, path: string, body: Buffer<ArrayBuffer> | string, headers = {}) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
    body,
  });

const bodyOf = async (answer: Response) => (await answer.json()) as Record<string, unknown>;

/** A body sent in chunks, without a length; answers when the server does. */
function postChunked(gateway: TestGateway, path: string, body: Buffer, chunkBytes = 64 * 1024): Promise<Response> {
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (sent >= body.length) return controller.close();
      controller.enqueue(body.subarray(sent, sent + chunkBytes));
      sent += chunkBytes;
    },
  });
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: stream,
    duplex: "half",
  } as RequestInit);
}

test.each([0, 1, 1000, mebibyte - 1, mebibyte, mebibyte + 1, 9 * mebibyte])(
  "a body of %d bytes arrives whole, with and without a length",
  async (bytes) => {
    const gateway = await start();
    const body = Buffer.alloc(bytes, "abcdefg");
    const expected = { bytes, text: body.subarray(0, 100).toString() };

    expect(await (await post(gateway, traces, body)).json()).toMatchObject(expected);
    expect(await (await postChunked(gateway, traces, body)).json()).toMatchObject(expected);
  },
);

test("a compressed body is passed on as it is, under its encoding", async () => {
  const gateway = await start({
    behind: {
      submitTrace: async (call) => ({
        status: 201,
        body: { encoding: call.headers["content-encoding"], json: await call.json(), bytes: call.rawBody.length },
      }),
    },
  });
  const zipped = gzipSync('{"name":"weather"}');

  const answer = await post(gateway, traces, zipped, { "content-encoding": "gzip" });

  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ encoding: "gzip", json: { name: "weather" }, bytes: zipped.length });
});

test("a length over the limit is 413 before a byte is read [spec:limit.body]", async () => {
  const gateway = await start();

  const answer = await sendRaw(
    gateway.url,
    head("POST", traces, { "content-type": "application/json", "content-length": String(10 * mebibyte + 1) }),
  );

  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect(answer).toContain(JSON.stringify(tooLarge));
});

test("chunks beyond the limit are 413, and the service has seen the request end", async () => {
  let handled = 0;
  const gateway = await start({
    behind: {
      submitTrace: async () => {
        handled += 1;
        return { status: 201, body: {} };
      },
    },
  });

  const answer = await postChunked(gateway, traces, Buffer.alloc(10 * mebibyte + 1, " "));

  expect([answer.status, await answer.json()]).toEqual([413, tooLarge]);
  expect(handled).toBe(0);
  expect((await post(gateway, traces, "{}")).status).toBe(201);
});

test("an OTLP export may be larger, up to the operator's limit", async () => {
  const gateway = await start({ settings: { SERVICE_OTLP_MAX_BODY_BYTES: String(12 * mebibyte) } });

  const fits = await postChunked(gateway, otlp, Buffer.alloc(12 * mebibyte, " "));
  const exceeds = await postChunked(gateway, otlp, Buffer.alloc(12 * mebibyte + 1, " "));
  const announced = await post(gateway, otlp, Buffer.alloc(12 * mebibyte + 1, " "));

  expect(await fits.json()).toMatchObject({ bytes: 12 * mebibyte });
  expect([exceeds.status, await exceeds.json()]).toEqual([413, tooLarge]);
  expect(announced.status).toBe(413);
});

test("after a refusal the connection goes on: the rest of the body is read and dropped", async () => {
  const gateway = await start();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const body = Buffer.alloc(11 * mebibyte, " ");

  socket.write(
    `POST ${traces} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  socket.write(head("GET", "/health/live"));
  await new Promise((resolve) => socket.once("close", resolve));

  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
});

test("a route that reads no body drops what a client sends with it", async () => {
  const gateway = await start();

  const answer = await post(gateway, routes.rotateProjectKey.path.replace("{projectId}", "x"), "{}".repeat(1000));

  expect([answer.status, (await bodyOf(answer)).bytes]).toEqual([200, 0]);
});

test("status, type, retry-after and caching of an answer come back, other headers stay inside", async () => {
  const answered: Answer = {
    status: 429,
    body: { error: "full" },
    headers: {
      "retry-after": "1",
      "cache-control": "no-store",
      "x-internal": "1",
      server: "inside",
      "set-cookie": "a=b",
    },
  };
  const gateway = await start({ behind: { submitTrace: async () => answered } });

  const answer = await post(gateway, traces, "{}");

  expect([answer.status, await answer.json()]).toEqual([429, { error: "full" }]);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  for (const name of ["x-internal", "server", "set-cookie"]) expect(answer.headers.has(name)).toBe(false);
});

test("an empty protobuf answer comes back with its type", async () => {
  const gateway = await start({
    behind: {
      receiveTraces: async () => ({ status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) }),
    },
  });

  const answer = await post(gateway, otlp, "{}");

  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
    200,
    "application/x-protobuf",
    "",
  ]);
});

test.each([100, mebibyte, mebibyte + 1, 20 * mebibyte])("an answer of %d bytes comes back whole", async (bytes) => {
  const gateway = await start({ behind: { listTraces: async () => ({ status: 200, body: "x".repeat(bytes) }) } });

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.headers.get("content-length")).toBe(String(bytes));
  expect((await answer.arrayBuffer()).byteLength).toBe(bytes);
});

test("a service that is down is 503 with Retry-After at once, on OTLP as { message }", async () => {
  const gateway = await start();
  await gateway.stopBehind("ingest");

  const answers = [await post(gateway, traces, "{}"), await post(gateway, otlp, "{}")];

  for (const answer of answers) expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  const message = "The ingest service is not reachable; retry.";
  expect(await answers[0]?.json()).toEqual({ statusCode: 503, message });
  expect(await answers[1]?.json()).toEqual({ message });
  expect((await post(gateway, routes.createDataset.path, "{}")).status).toBe(200);
});

test("a service that refuses a large body before it has read it is heard", async () => {
  const gateway = await startInstead((_request, response) => {
    response.writeHead(429, { "retry-after": "1", "content-type": "application/json", "content-length": "2" });
    response.end("{}");
  });

  for (let request = 0; request < 3; request += 1) {
    const answer = await postChunked(gateway, otlp, Buffer.alloc(9 * mebibyte, " "));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
  }
});

test("a service that hangs is given up at the route's deadline", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const gateway = await startInstead(() => vi.advanceTimersByTime(routes.listTraces.deadlineMs));

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(503);
  expect((await bodyOf(answer)).message).toBe("The ingest service did not answer in time; retry.");
});

test("a service that dies in the middle of a request is 503, not 502 and not silence", async () => {
  const gateway = await startInstead((request) => request.socket.destroy());

  const answer = await post(gateway, traces, "{}");

  expect([answer.status, await answer.json()]).toEqual([
    503,
    { statusCode: 503, message: "The ingest service is not reachable; retry." },
  ]);
});

test("an answer that breaks off early is 503", async () => {
  const gateway = await startInstead((_request, response) => {
    response.writeHead(200, { "content-length": "100", "content-type": "application/json" });
    response.write('{"half":', () => response.destroy());
  });

  const answer = await post(gateway, traces, "{}");

  expect([answer.status, (await bodyOf(answer)).message]).toEqual([
    503,
    "The ingest service broke off its answer; retry.",
  ]);
});

test("a long answer that breaks off breaks off at the client too: nothing looks complete that is not", async () => {
  const gateway = await startInstead((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write("line\n", () => setTimeout(() => response.destroy(), 20));
  });

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test("a client that goes away ends the request at the service", async () => {
  let arrived = (_call: Call): void => {};
  const isArrived = new Promise<Call>((resolve) => {
    arrived = resolve;
  });
  const gateway = await start({
    behind: {
      submitResults: (call) => {
        arrived(call);
        return new Promise(() => {});
      },
    },
  });
  const gone = new AbortController();
  const path = routes.submitResults.path.replace("{runId}", "x");
  const asked = fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: "{}",
    signal: gone.signal,
  });
  const call = await isArrived;

  gone.abort();

  await expect(asked).rejects.toThrow();
  await vi.waitFor(() => expect(call.signal.aborted).toBe(true));
  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(expect.objectContaining({ operation: "submitResults", outcome: "client_gone" })),
  );
  expect(troublesOf(gateway)).toEqual([]);
});

test("a client that goes away in the middle of its body is no error of ours", async () => {
  const gateway = await start();
  const { hostname, port } = new URL(gateway.url);
  for (const bytes of [10, 3 * mebibyte]) {
    const socket = connect(Number(port), hostname);
    socket.write(head("POST", traces, { "content-type": "application/json", "content-length": "9000000" }));
    socket.write(Buffer.alloc(bytes, " "), () => setTimeout(() => socket.destroy(), 20));
    await new Promise((resolve) => socket.once("close", resolve));
  }

  await vi.waitFor(() => expect(gateway.log.filter(({ outcome }) => outcome === "client_gone")).toHaveLength(2));
  expect(troublesOf(gateway)).toEqual([]);
});

test("a service that does not believe the gateway is an operator's problem, not a client's 401", async () => {
  const gateway = await start({
    settings: { SERVICE_INTERNAL_SECRET: "another root secret, one that nobody else was given" },
  });

  const answer = await fetch(gateway.url + routes.getAuthConfig.path);

  expect([answer.status, (await bodyOf(answer)).statusCode]).toEqual([503, 503]);
  expect(gateway.log).toContainEqual(
    expect.objectContaining({ level: "error", msg: "a service refused the gateway's identity" }),
  );
});

test("replicas share the requests, and one that is down is passed over", async () => {
  const seen = new Set<number>();
  const replicas = await Promise.all(
    [1, 2].map(async (number) => {
      const server = createServer((request, response) => {
        request.resume();
        seen.add(number);
        response.setHeader("content-type", "application/json").end("{}");
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    }),
  );
  const gateway = await start({ settings: { SERVICE_INGEST_URL: [...replicas, "http://127.0.0.1:1"].join(",") } });

  for (let request = 0; request < 60; request += 1) {
    const body = request % 2 === 0 ? Buffer.from("{}") : Buffer.alloc(2 * mebibyte, " ");
    expect((await post(gateway, traces, body)).status).toBe(200);
  }

  expect(seen).toEqual(new Set([1, 2]));
});

test("the services answer nobody who comes past the gateway", async () => {
  const gateway = await start();
  const client = createInternalClient({
    issuer: "monitor",
    audience: "auth",
    addresses: [gateway.url],
    rootSecret,
    clock: systemClock,
  });

  const answer = await client.forward({
    method: "POST",
    path: "/internal/keys/resolve",
    claims: { projectId: null, organizationId: null, userId: null, role: null, requestId: "r" },
    deadlineMs: 1_000,
  });
  await answer.body.dump();
  await client.close();

  expect(answer.status).toBe(404);
});
