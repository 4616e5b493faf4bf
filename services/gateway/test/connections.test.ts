import { connect } from "node:net";
import { routes } from "@touchstone/contracts";
import { type Answer, Pieces } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import { apiKey, head, sendRaw, startTestGateway, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const gateways: TestGateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  gateways.push(gateway);
  return gateway;
}

const traces = routes.submitTrace.path;
const statusOf = (answer: string): number => Number(answer.slice(9, 12));
const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

test.each([
  ["no HTTP", "nonsense\r\n\r\n", 400],
  [
    "a length and chunks at once",
    `POST ${traces} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
    400,
  ],
  ["a length that is no number", `POST ${traces} HTTP/1.1\r\nhost: localhost\r\ncontent-length: five\r\n\r\n`, 400],
  ["two lengths", `POST ${traces} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n`, 400],
  ["NUL in a header", `GET ${traces} HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n`, 400],
  ["no host", `GET ${traces} HTTP/1.1\r\n\r\n`, 400],
  ["20 kB of headers", head("GET", traces, { "x-long": "x".repeat(20_000) }), 431],
])("%s is refused in the global envelope, and the connection ends", async (_what, request, status) => {
  const gateway = await start();

  const answer = await sendRaw(gateway.url, request);

  expect(statusOf(answer)).toBe(status);
  if (answer.includes("{")) expect(bodyOf(answer)).toEqual({ statusCode: status, message: expect.any(String) });
});

test("a refusal is never sent in place of another request's answer", async () => {
  const gateway = await start();
  const good = "GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });

  expect(await sendRaw(gateway.url, good, "nonsense\r\n\r\n")).not.toContain("HTTP/1.1 400");
  socket.write(good);
  await vi.waitFor(() => expect(received).toContain("HTTP/1.1 200"));
  socket.write("nonsense\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));

  expect(received).toContain("HTTP/1.1 400");
});

const impatient = { requestTimeoutMs: 200, headersTimeoutMs: 100 };

test.each([
  ["headers that never end", `GET ${traces} HTTP/1.1\r\nhost: localhost\r\n`],
  ["a body that never comes", head("POST", traces, { "content-type": "application/json", "content-length": "100" })],
  [
    "a body that stops in the middle",
    `${head("POST", traces, { "content-type": "application/json", "content-length": "3000000" })}${"x".repeat(2_000_000)}`,
  ],
  [
    "chunks that stop",
    `${head("POST", traces, { "content-type": "application/json", "transfer-encoding": "chunked" })}5\r\nhello\r\n`,
  ],
])("a request with %s is answered 408, and the connection ends", async (_what, request) => {
  const gateway = await start({ config: impatient });

  const answer = await sendRaw(gateway.url, request);

  expect(statusOf(answer)).toBe(408);
  expect(bodyOf(answer)).toEqual({ statusCode: 408, message: "The request did not arrive in time." });
});

test("a request whose body does not arrive in time is a 408 in the log and in the metrics, too", async () => {
  const gateway = await start({ config: impatient });
  const headers = { "content-type": "application/json", "content-length": "100" };
  await sendRaw(gateway.url, head("POST", traces, headers));

  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ operation: "submitTrace", outcome: "request_timeout", status: 408 }),
    ),
  );
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const counted = metrics.split("\n").filter((line) => /^service_http_requests_total.*"submitTrace"/.test(line));
  expect(counted).toEqual([expect.stringMatching(/status="408".* 1$/)]);
});

test("the log records a request with an invalid body as a 400, as the client sees it", async () => {
  const gateway = await start();
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const answer = await sendRaw(gateway.url, `${head("POST", traces, headers)}no length\r\n`);

  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ operation: "submitTrace", outcome: "bad_request", status: 400 }),
    ),
  );
});

test("five hundred clients that send nothing further leave a connection for one that does", async () => {
  const gateway = await start();
  const { hostname, port } = new URL(gateway.url);
  const slow = Array.from({ length: 500 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(`POST ${traces} HTTP/1.1\r\nhost: localhost\r\n`);
    return socket;
  });
  await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(200);
  for (const socket of slow) socket.destroy();
});

test("an idle connection is kept for longer than clients keep theirs", async () => {
  const gateway = await start();

  const answer = await fetch(`${gateway.url}/health/live`);

  expect(answer.headers.get("connection")).toBe("keep-alive");
  expect(Number(/timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThanOrEqual(65);
});

/** A gateway with open requests that are answered on command. */
async function startHolding(count: number, config: TestGatewayOptions["config"] = {}) {
  const held: (() => void)[] = [];
  const gateway = await start({
    config,
    behind: {
      submitTrace: () =>
        new Promise<Answer>((resolve) => {
          held.push(() => resolve({ status: 201, body: { stored: true } }));
        }),
    },
  });
  const asked = Array.from({ length: count }, () =>
    fetch(gateway.url + traces, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: "{}",
    }),
  );
  await vi.waitFor(() => expect(held).toHaveLength(count));
  return {
    gateway,
    asked,
    release: () => {
      for (const answer of held) answer();
    },
  };
}

test("a stop finishes open requests, tells clients to close, and accepts no new ones", async () => {
  const { gateway, asked, release } = await startHolding(10);

  const stopping = gateway.service.stop();
  await vi.waitFor(() => expect(sendRaw(gateway.url, head("GET", "/health/live"))).rejects.toThrow("ECONNREFUSED"));
  release();

  for (const answer of await Promise.all(asked)) {
    expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"]);
  }
  await stopping;
});

test("during a stop an answer that is sent in pieces tells the client to close, too", async () => {
  const pieces = new Pieces([Buffer.alloc(100_000, "a"), Buffer.alloc(100_000, "b")]);
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const gateway = await start({
    isLocal: true,
    behind: {
      async listTraces() {
        asked.resolve();
        await held.promise;
        return { status: 200, body: pieces };
      },
    },
  });
  const answering = fetch(gateway.url + routes.listTraces.path, { headers: { "x-api-key": apiKey } });
  await asked.promise;

  const stopping = gateway.service.stop();
  held.resolve();

  const answer = await answering;
  expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
  expect((await answer.arrayBuffer()).byteLength).toBe(200_000);
  await stopping;
});

test("during a stop a request that comes over an open connection is still answered", async () => {
  const { gateway, asked, release } = await startHolding(1);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const request = head("GET", "/health/live", { connection: "keep-alive" });
  // The first half is on its way when the stop begins.
  socket.write(request.slice(0, 10));
  await vi.waitFor(async () => expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200));

  const stopping = gateway.service.stop();
  socket.write(request.slice(10));
  await new Promise((resolve) => socket.once("close", resolve));

  expect(received).toMatch(/^HTTP\/1.1 200 /);
  expect(received.toLowerCase()).toContain("connection: close");
  release();
  await Promise.all(asked);
  await stopping;
});

test("a request that takes too long does not hold up a stop", async () => {
  const { gateway, asked } = await startHolding(1, { drain: { announceMs: 0, drainMs: 300 } });
  const cut = expect(asked[0]).rejects.toThrow();

  await gateway.service.stop();

  await cut;
});
