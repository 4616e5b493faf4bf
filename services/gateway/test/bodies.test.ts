import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { routes } from "@touchstone/contracts";
import type { Answer } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import {
  apiKey,
  bodyOf,
  head,
  mebibyte,
  post,
  postChunked,
  sendRaw,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

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
const otlp = routes.receiveTraces.path;
const tooLarge = { statusCode: 413, message: "request entity too large" };

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

test("a length over the limit is 413 before a byte is read", {
  tags: ["spec:limit.body", "spec:status.413"],
}, async () => {
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

test("after a refusal the rest of the body is read and dropped, and the connection stays usable", async () => {
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

test("a route that reads no body drops the client's body", async () => {
  const gateway = await start();

  const answer = await post(gateway, routes.rotateProjectKey.path.replace("{projectId}", "x"), "{}".repeat(1000));

  expect([answer.status, (await bodyOf(answer)).bytes]).toEqual([200, 0]);
});

test("status, type, Retry-After and caching of an answer are passed on, other headers are not", async () => {
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
  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(expect.objectContaining({ status: 429, outcome: "refused_by_service" })),
  );
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
