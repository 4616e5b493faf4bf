import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { limits } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { otlpServices } from "../src/grpc/otlp-services.ts";
import {
  apiKey,
  mebibyte,
  projectId,
  startTestGateway,
  strangeKey,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const otherProjectId = "00000000-0000-7000-8000-000000000002";
const cleanups: (() => unknown)[] = [];
const { gatewayBodiesMaxBytes } = limits;

beforeEach(() => {
  Object.assign(limits, { gatewayBodiesMaxBytes: 8 * mebibyte });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  Object.assign(limits, { gatewayBodiesMaxBytes });
});

interface Started {
  gateway: TestGateway;
  /** Another connection of a client. */
  open(settings?: { initialWindowSize: number }): ClientHttp2Session;
}

/** A gateway that knows the keys of two projects. */
async function start(options: Pick<TestGatewayOptions, "config" | "behind"> = {}): Promise<Started> {
  const resolveKey: Handler = async (call) => {
    const { apiKey: asked } = (await call.json()) as { apiKey: string };
    return {
      status: 200,
      body: { key: { projectId: asked === apiKey ? projectId : otherProjectId, organizationId: null } },
    };
  };
  const receiveTraces: Handler = async () => ({
    status: 200,
    contentType: "application/x-protobuf",
    body: Buffer.alloc(9),
  });
  const gateway = await startTestGateway({
    ...options,
    settings: { SERVICE_OTLP_GRPC_PORT: "0", SERVICE_RATE_LIMIT: "off" },
    behind: { resolveKey, receiveTraces, ...options.behind },
  });
  cleanups.push(() => gateway.stop());
  const port = gateway.log.find(({ msg }) => msg === "taking OTLP/gRPC")?.port;
  return {
    gateway,
    open(settings) {
      const session = connect(`http://127.0.0.1:${port}`, { settings });
      cleanups.push(() => session.destroy());
      return session;
    },
  };
}

/** A call whose message has this many bytes; the test sends it piece by piece. */
function call(session: ClientHttp2Session, messageBytes: number, key = apiKey) {
  const stream: ClientHttp2Stream = session.request({
    ":method": "POST",
    ":path": otlpServices[0]?.definition.Export?.path,
    "content-type": "application/grpc",
    te: "trailers",
    "x-api-key": key,
  });
  const code = new Promise<number>((resolve) => {
    for (const event of ["response", "trailers"]) {
      stream.on(event, (headers) => headers["grpc-status"] !== undefined && resolve(Number(headers["grpc-status"])));
    }
  });
  stream.resume();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(messageBytes, 1);
  stream.write(prefix);
  return { stream, code, closed: once(stream, "close") };
}

async function heldBytes(gateway: TestGateway, size: "small" | "large"): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(
    new RegExp(`^service_http_body_bytes\\{service="gateway",size="${size}"\\} (\\d+)$`, "m").exec(text)?.[1],
  );
}

test("a message that is never finished gives way to the export of another project", async () => {
  const { gateway, open } = await start();
  const slow = call(open(), 6_000_000);
  slow.stream.write(Buffer.alloc(5_000_000));
  await vi.waitFor(async () => expect(await heldBytes(gateway, "large")).toBeGreaterThan(5_000_000));

  const other = call(open(), 3_000_000, strangeKey);
  other.stream.end(Buffer.alloc(3_000_000));

  expect(await other.code).toBe(status.OK);
  expect(await slow.code).toBe(status.UNAVAILABLE);
  await slow.closed;
  await vi.waitFor(async () => expect(await heldBytes(gateway, "large")).toBe(0));
});

test.each([
  ["half a message", 500],
  ["a message without the end of the call", 1_000],
])("%s is answered after the time limit, and holds no memory afterwards", async (_what, sent) => {
  const { gateway, open } = await start({ config: { requestTimeoutMs: 300 } });
  const slow = call(open(), 1_000);
  slow.stream.write(Buffer.alloc(sent));

  expect(await slow.code).toBe(status.DEADLINE_EXCEEDED);
  await slow.closed;
  await vi.waitFor(async () => expect(await heldBytes(gateway, "small")).toBe(0));
  expect(gateway.log.find(({ operation }) => operation === "receiveTraces")).toMatchObject({ projectId, status: 408 });
});

test("calls that begin together and send their messages later are no more than the limit of a project", async () => {
  let received = 0;
  const { gateway, open } = await start({
    behind: {
      receiveTraces: async () => {
        received += 1;
        return { status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) };
      },
    },
  });
  const sessions = [open(), open()];
  const calls = sessions.flatMap((session) => Array.from({ length: 50 }, () => call(session, 10)));
  let refused = 0;
  for (const { code } of calls) void code.then((answered) => (refused += answered === status.UNAVAILABLE ? 1 : 0));
  // Each admitted call has sent its prefix.
  await vi.waitFor(async () => expect((await heldBytes(gateway, "small")) / 5 + refused).toBe(100));

  for (const { stream } of calls) if (!stream.closed) stream.end(Buffer.alloc(10));
  const codes = await Promise.all(calls.map(({ code }) => code));

  expect(received).toBe(64);
  expect(codes.filter((code) => code === status.OK)).toHaveLength(64);
  expect(codes.filter((code) => code === status.UNAVAILABLE)).toHaveLength(36);
  // The places are free again.
  const next = call(open(), 10);
  next.stream.end(Buffer.alloc(10));
  expect(await next.code).toBe(status.OK);
});

test("an answer that its client does not read holds no memory for longer than the time limit", async () => {
  const { gateway, open } = await start({ config: { requestTimeoutMs: 300 } });
  const deaf = call(open({ initialWindowSize: 0 }), 1_000);
  deaf.stream.end(Buffer.alloc(1_000));

  await vi.waitFor(() => expect(gateway.log.find(({ msg }) => msg === "request answered")).toBeDefined());
  await vi.waitFor(async () => expect(await heldBytes(gateway, "small")).toBe(0));
});
