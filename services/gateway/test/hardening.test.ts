import { execFile, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { routes } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import {
  head,
  mebibyte,
  post,
  sendRaw,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  cleanups.push(() => gateway.stop());
  return gateway;
}

const traces = routes.submitTrace.path;
const json = { "content-type": "application/json" };

/** Opens connections that send nothing; returns those that were accepted. */
async function openIdle(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const opened = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket | null>((resolve) => {
          const socket = connect(Number(port), hostname);
          socket.on("error", () => resolve(null));
          socket.once("connect", () => resolve(socket));
        }),
    ),
  );
  const sockets = opened.filter((socket) => socket !== null);
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

test.each([
  ["a gzip bomb", gzipSync(Buffer.alloc(40 * mebibyte)), "gzip", 413],
  ["a gzip in a gzip, of which only the outer is undone", gzipSync(gzipSync(Buffer.alloc(mebibyte))), "gzip", 400],
  ["a gzip that breaks off", gzipSync('{"name":"a"}').subarray(0, 15), "gzip", 400],
  ["bytes that are no gzip", Buffer.from("{}"), "gzip", 400],
  ["an encoding nobody knows", Buffer.from("{}"), "br-2", 415],
  ["two encodings at once", gzipSync("{}"), "gzip, gzip", 415],
])("%s is refused, with and without a length", async (_what, body, encoding, status) => {
  const gateway = await start({
    behind: { submitTrace: async (call) => ({ status: 201, body: { json: await call.json() } }) },
  });
  const headers = { ...json, "content-encoding": encoding };

  const announced = await post(gateway, traces, body as Buffer<ArrayBuffer>, { "content-encoding": encoding });
  const chunked = await sendRaw(
    gateway.url,
    head("POST", traces, { ...headers, "transfer-encoding": "chunked" }),
    `${body.length.toString(16)}\r\n`,
    body,
    "\r\n0\r\n\r\n",
  );

  expect([announced.status, Number(chunked.slice(9, 12))]).toEqual([status, status]);
  expect(await announced.json()).toMatchObject({ statusCode: status });
});

test("a body that is sent a byte at a time is refused with 408 when its time is over", async () => {
  const gateway = await start({ config: { requestTimeoutMs: 300, headersTimeoutMs: 300 } });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  socket.on("error", () => undefined);
  socket.write(head("POST", traces, { ...json, "content-length": "100000" }));
  const drip = setInterval(() => socket.write(" "), 20);

  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);

  expect(received).toMatch(/^HTTP\/1.1 408 /);
});

test("a reader that reads nothing of a long answer is disconnected, and its memory is released", async () => {
  const gateway = await start({
    config: { streamIdleMs: 300 },
    behind: { listTraces: async () => ({ status: 200, body: Buffer.alloc(32 * mebibyte, "x") }) },
  });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(head("GET", traces));

  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(expect.objectContaining({ operation: "listTraces", outcome: "client_gone" })),
  );
  socket.destroy();
});

test("idle connections are bounded: further ones are refused, and accepted when some close", async () => {
  const gateway = await start({ config: { connectionsMax: 100 } });
  const idle = await openIdle(gateway.url, 100);
  expect(idle).toHaveLength(100);

  await expect(fetch(`${gateway.url}/health/live`)).rejects.toThrow();
  for (const socket of idle.slice(0, 10)) socket.destroy();

  await vi.waitFor(async () => expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200));
});

test("a process that runs out of file descriptors keeps running", { timeout: 60_000 }, async () => {
  const behind = await start();
  const main = path.join(import.meta.dirname, "../src/main.ts");
  const child = spawn("sh", ["-c", `ulimit -n 128; exec "${process.execPath}" "${main}"`], {
    env: {
      PATH: process.env.PATH ?? "",
      PORT: "0",
      SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
      SERVICE_NATS_URL: "nats://127.0.0.1:1",
      SERVICE_AUTH_URL: behind.url,
      SERVICE_INGEST_URL: behind.url,
      SERVICE_EVAL_RUNS_URL: behind.url,
      SERVICE_MONITOR_URL: behind.url,
      SERVICE_DROPIN_URL: behind.url,
    },
  });
  cleanups.push(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  await vi.waitFor(() => expect(output).toContain('"msg":"serving"'), 40_000);
  const url = /"address":"(http[^"]+)"/.exec(output)?.[1] ?? "";

  const idle = await openIdle(url, 300);
  await vi.waitFor(() => expect(idle.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0));
  expect(child.exitCode).toBeNull();
  for (const socket of idle) socket.destroy();

  await vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200));
  expect(await promisify(execFile)("sh", ["-c", `kill -0 ${child.pid} && echo alive`])).toMatchObject({
    stdout: "alive\n",
  });
});
