import { promisify } from "node:util";
import {
  compressionAlgorithms,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { limits, otlpQuotaRetryAfterSeconds, routes, spentQuotaHeader, traceQuotaMessage } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import { otlpServices } from "../src/grpc/otlp-services.ts";
import { apiKey, startTestGateway, strangeKey, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Send = (
  message: Buffer,
  metadata?: Record<string, string>,
) => Promise<{ code: number; reply: Buffer | null; details: string; retry: string | null }>;

async function start(options: TestGatewayOptions = {}, signal = 0): Promise<{ gateway: TestGateway; send: Send }> {
  const gateway = await startTestGateway({
    ...options,
    settings: { SERVICE_OTLP_GRPC_PORT: "0", ...options.settings },
  });
  const port = gateway.log.find(({ msg }) => msg === "taking OTLP/gRPC")?.port;
  const definition = otlpServices[signal]?.definition ?? {};
  const Client = makeGenericClientConstructor(definition, "Otlp");
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.default_compression_algorithm": compressionAlgorithms.gzip,
  });
  cleanups.push(() => gateway.stop());
  cleanups.push(() => client.close());
  const call = promisify(client.Export as never).bind(client) as (message: Buffer, sent: Metadata) => Promise<Buffer>;
  return {
    gateway,
    async send(message, metadata = { "x-api-key": apiKey }) {
      const sent = new Metadata();
      for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
      return call(message, sent).then(
        (reply) => ({ code: status.OK, reply, details: "", retry: null }),
        (error: ServiceError) => ({
          code: error.code,
          reply: null,
          details: error.details,
          retry: String(error.metadata.get("grpc-status-details-bin")[0] ?? "") || null,
        }),
      );
    },
  };
}

const refuseWith =
  (...failure: ConstructorParameters<typeof AppError>): Handler =>
  async () => {
    throw new AppError(...failure);
  };

test.each([
  [0, "receiveTraces"],
  [1, "receiveLogs"],
  [2, "receiveMetrics"],
] as const)(
  "service %d: the message goes on as it is, inflated, to %s; its answer comes back",
  async (signal, routeId) => {
    const message = Buffer.alloc(2_000_000, "abc");
    const seen: unknown[] = [];
    const { send } = await start(
      {
        behind: {
          [routeId]: async (call: Parameters<Handler>[0]) => {
            seen.push([call.headers["content-type"], call.rawBody.equals(message), call.identity.projectId]);
            return { status: 200, contentType: "application/x-protobuf", body: Buffer.from([0x0a, 0x02, 0x08, 0x03]) };
          },
        },
      },
      signal,
    );

    const { code, reply } = await send(message);

    expect([code, reply?.toString("hex")]).toEqual([status.OK, "0a020803"]);
    expect(seen).toEqual([["application/x-protobuf", true, "00000000-0000-7000-8000-000000000001"]]);
  },
);

test.each([
  ["a Bearer", { authorization: `Bearer ${apiKey}` }, status.OK],
  ["a Basic", { authorization: `Basic ${Buffer.from(`x:${apiKey}`).toString("base64")}` }, status.OK],
  ["no", {}, status.UNAUTHENTICATED],
  ["an unknown", { "x-api-key": strangeKey }, status.UNAUTHENTICATED],
])("a call with %s key is admitted only if the key is known", async (_what, metadata, code) => {
  const { send } = await start({
    behind: {
      receiveTraces: async () => ({ status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) }),
    },
  });

  expect((await send(Buffer.alloc(10), metadata)).code).toBe(code);
});

const isSentAgain = "RetryInfo";

test.each([
  ["undecodable bytes", ["body_unreadable", "Failed to decode"], status.INVALID_ARGUMENT, null],
  ["a full queue", ["queue_full", "The queue is full."], status.UNAVAILABLE, isSentAgain],
  ["a store that is down", ["store_unavailable", "The store is unavailable."], status.UNAVAILABLE, isSentAgain],
  ["too much inflated", ["body_too_large", "request entity too large"], status.RESOURCE_EXHAUSTED, null],
  ["a bug", ["internal", "Internal"], status.UNAVAILABLE, isSentAgain],
] as const)("%s", async (_what, [failure, sentence], code, retry) => {
  const { send } = await start({ behind: { receiveTraces: refuseWith(failure, sentence) } });

  const answer = await send(Buffer.alloc(10));

  expect([answer.code, answer.details]).toEqual([code, sentence]);
  if (retry === null) expect(answer.retry).toBeNull();
  else expect(answer.retry).toContain(retry);
});

test("while ingest is unavailable an export is UNAVAILABLE and may be sent again", async () => {
  const { gateway, send } = await start();
  await gateway.stopBehind("ingest");

  expect(await send(Buffer.alloc(10))).toMatchObject({
    code: status.UNAVAILABLE,
    retry: expect.stringContaining(isSentAgain),
  });
});

test("a spent quota is a final refusal for the day, by ingest and then by the gateway", async () => {
  let asked = 0;
  const { send } = await start({
    behind: {
      receiveTraces: async () => {
        asked += 1;
        throw new AppError("trace_quota_spent", traceQuotaMessage(7), {
          retryAfterSeconds: otlpQuotaRetryAfterSeconds,
          internalHeaders: { [spentQuotaHeader]: "7;3600000" },
        });
      },
    },
  });

  for (const _time of [1, 2]) {
    expect(await send(Buffer.alloc(10))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: traceQuotaMessage(7),
      retry: null,
    });
  }
  expect(asked).toBe(1);
});

test("an export beyond the rate limit may be sent again after a delay", async () => {
  const { send } = await start({
    settings: { SERVICE_RATE_LIMIT_DATA_PLANE: "1" },
    behind: {
      receiveTraces: async () => ({ status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) }),
    },
  });
  await send(Buffer.alloc(10));

  expect(await send(Buffer.alloc(10))).toMatchObject({ code: status.UNAVAILABLE, details: "Too many requests" });
});

test("a message above the limit is refused, compressed or not", async () => {
  const { send } = await start({ settings: { SERVICE_OTLP_MAX_BODY_BYTES: "1000000" } });

  // 20 MB of one letter are 20 kB on the wire.
  expect((await send(Buffer.alloc(20_000_000, "a"))).code).toBe(status.RESOURCE_EXHAUSTED);
});

test("a message is counted while it is inflated, and without free memory it may be sent again", async () => {
  const { gatewayBodiesMaxBytes } = limits;
  cleanups.push(() => Object.assign(limits, { gatewayBodiesMaxBytes }));
  Object.assign(limits, { gatewayBodiesMaxBytes: 8 * 1024 * 1024 });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { gateway, send } = await start({
    behind: {
      receiveTraces: async () => {
        await held;
        return { status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) };
      },
    },
  });
  // 5 MB of one letter are 5 kB on the wire.
  const first = send(Buffer.alloc(5_000_000, "a"));
  const heldBytes = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(/^service_http_body_bytes\{service="gateway",size="large"\} (\d+)$/m.exec(text)?.[1]);
  };
  await vi.waitFor(async () => expect(await heldBytes()).toBeGreaterThan(5_000_000));

  expect(await send(Buffer.alloc(5_000_000, "a"))).toMatchObject({
    code: status.UNAVAILABLE,
    details: expect.stringContaining("ingest queue full"),
    retry: expect.stringContaining(isSentAgain),
  });
  release();
  expect((await first).code).toBe(status.OK);
  await vi.waitFor(async () => expect(await heldBytes()).toBe(0));
});

test("a stop finishes the open export", async () => {
  let release = (): void => {};
  let arrived = (): void => {};
  const isArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { gateway, send } = await start({
    behind: {
      receiveTraces: () =>
        new Promise((resolve) => {
          release = () => resolve({ status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) });
          arrived();
        }),
    },
  });
  const inHand = send(Buffer.alloc(10));
  await isArrived;

  const stopping = gateway.service.stop();
  release();

  expect((await inHand).code).toBe(status.OK);
  await stopping;
});

test("the OTLP/HTTP listener serves the standard paths and no others, under the same checks", async () => {
  const gateway = await startTestGateway({ settings: { SERVICE_OTLP_HTTP_PORT: "0" } });
  cleanups.push(() => gateway.stop());
  const url = gateway.log.find(({ msg }) => msg === "taking OTLP/HTTP")?.address;
  const send = (path: string, headers: Record<string, string> = { "x-api-key": apiKey }) =>
    fetch(url + path, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...headers } });

  for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics", "/v1/traces/"])
    expect((await send(path)).status).toBe(200);
  expect((await send("/v1/traces", {})).status).toBe(401);
  expect((await send("/v1/traces", { "x-api-key": apiKey, "content-type": "text/plain" })).status).toBe(415);
  expect((await send(routes.submitTrace.path)).status).toBe(404);
  expect((await fetch(`${url}/v1/traces`)).headers.get("allow")).toBe("POST");
});
