import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { type Route, routes, type ServiceName } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import {
  createHttpServer,
  createIdentitySigner,
  createInternalClient,
  createLocalCalls,
  createLogger,
  createMetrics,
  type Handler,
  type HttpServer,
  type LocalCalls,
  type Metrics,
  systemClock,
} from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const mebibyte = 1024 * 1024;
const claims = { projectId: null, organizationId: null, userId: null, role: "key" as const, requestId: "request-1" };
const servers: HttpServer[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** A server with 2 MiB for small bodies and 6 MiB for large ones, whose handler `work` ends when `finish` is called. */
interface Serving {
  url: string;
  metrics: Metrics;
  /** Sends the head of a request, and the given part of its body. */
  begin(route: Route, headers: Record<string, string>, body?: Buffer | string): Sending;
  /** Sends a body of this many bytes, whose handler works until `finish`; resolves when it is working. */
  occupy(bytes: number): Promise<Sending>;
  finish(): void;
  bytes(): Promise<number>;
}

interface Sending {
  write(more: Buffer | string): void;
  abort(): void;
  /** The received answer, once it contains this text. */
  received(text: string): Promise<string>;
}

async function serve(
  options: { service?: ServiceName; handle?: Handler; localCalls?: LocalCalls } = {},
): Promise<Serving> {
  const { service = "ingest" } = options;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let working = 0;
  const work: Handler = async (call) => {
    const { length } = await call.body();
    working += 1;
    if (call.headers["x-request-id"] === "occupy") await finished;
    return { status: 200, body: { length } };
  };
  const metrics = createMetrics();
  const served = service === "ingest" ? [routes.submitTrace, routes.receiveTraces] : [routes.createDataset];
  const server = createHttpServer({
    service,
    routes: served.map((route) => ({ route, handle: options.handle ?? work })),
    rootSecret,
    clock: systemClock,
    logger: createLogger({ service: "test", level: "silent" }),
    metrics,
    readiness: async () => ({ ready: true, checks: {} }),
    bodiesMaxBytes: 8 * mebibyte,
    localCalls: options.localCalls,
  });
  servers.push(server);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const sign = createIdentitySigner({ issuer: "gateway", audience: service, rootSecret, clock: systemClock });

  const begin: Serving["begin"] = (route, headers, body = "") => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (more) => {
      text += more;
    });
    socket.on("error", () => {});
    const all = {
      host: "localhost",
      "content-type": "application/json",
      "x-touchstone-identity": sign({ ...claims, method: "POST", path: route.path }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${route.path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(body);
    return {
      write: (more) => void socket.write(more),
      abort: () => void socket.destroy(),
      async received(part) {
        await vi.waitFor(() => expect(text).toContain(part), { interval: 5 });
        return text;
      },
    };
  };
  return {
    url,
    metrics,
    begin,
    async occupy(bytes) {
      const before = working;
      const headers = { "content-length": String(bytes), "x-request-id": "occupy" };
      const sending = begin(served[0] as Route, headers, Buffer.alloc(bytes, " "));
      await vi.waitFor(() => expect(working).toBe(before + 1), { interval: 5 });
      return sending;
    },
    finish,
    async bytes() {
      const gauge = await metrics.getSingleMetric("service_http_body_bytes")?.get();
      return (gauge?.values ?? []).reduce((sum, { value }) => sum + value, 0);
    },
  };
}

const length = (bytes: number): Record<string, string> => ({ "content-length": String(bytes) });
const nothingInHand = (serving: Serving) => vi.waitFor(async () => expect(await serving.bytes()).toBe(0));

test("a body without memory is 429 before it is read, in the form of its route, and the connection stays usable", async () => {
  const serving = await serve();
  await serving.occupy(4 * mebibyte);
  const rest = serving.begin(routes.submitTrace, length(3 * mebibyte));
  const otlp = serving.begin(routes.receiveTraces, length(3 * mebibyte));
  const rpc = serving.begin(routes.receiveTraces, {
    ...length(3 * mebibyte),
    accept: "application/x-protobuf",
    "content-type": "application/x-protobuf",
  });

  const full = await rest.received('{"error":"Ingest queue is full - retry with backoff (Retry-After: 1s)."}');
  expect(full).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1\r\n/);
  const shed = "ingest queue full - export shed, retry with backoff";
  expect(await otlp.received(`{"message":"${shed}"}`)).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1\r\n/);
  const status = await rpc.received(shed);
  expect(status).toMatch(/^HTTP\/1.1 429 [\s\S]*content-type: application\/x-protobuf\r\n/);

  rest.write(Buffer.alloc(3 * mebibyte));
  rest.write("GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await rest.received("HTTP/1.1 200");
  serving.finish();
});

test("traces of a kilobyte are accepted while large bodies use all their memory", async () => {
  const serving = await serve();
  await serving.occupy(6 * mebibyte);

  const small = serving.begin(routes.submitTrace, length(1_000), Buffer.alloc(1_000, " "));
  await small.received('{"length":1000}');
  serving.finish();
});

test("memory is reserved for the decoded size of a body: in chunks, and inflated", async () => {
  const serving = await serve();
  const occupying = await serving.occupy(4 * mebibyte);
  const chunked = serving.begin(routes.receiveTraces, { "transfer-encoding": "chunked" });
  const chunk = `${mebibyte.toString(16)}\r\n${" ".repeat(mebibyte)}\r\n`;
  chunked.write(chunk.repeat(4));
  const zipped = gzipSync(Buffer.alloc(4 * mebibyte));
  const bomb = serving.begin(routes.receiveTraces, { ...length(zipped.length), "content-encoding": "gzip" }, zipped);
  for (const sending of [chunked, bomb]) {
    expect(await sending.received("export shed")).toMatch(/^HTTP\/1.1 429 /);
  }

  serving.finish();
  await occupying.received("length");
  const again = serving.begin(routes.receiveTraces, { ...length(zipped.length), "content-encoding": "gzip" }, zipped);
  await again.received(`{"length":${4 * mebibyte}}`);
  await nothingInHand(serving);
});

test("a large body that waits is admitted as soon as there is memory", async () => {
  const serving = await serve();
  await serving.occupy(4 * mebibyte);
  const waiting = serving.begin(routes.submitTrace, length(3 * mebibyte), Buffer.alloc(3 * mebibyte, " "));
  serving.finish();

  await waiting.received(`{"length":${3 * mebibyte}}`);
});

test("another service answers 503 with Retry-After", async () => {
  const serving = await serve({ service: "eval-runs" });
  await serving.occupy(4 * mebibyte);
  const refused = serving.begin(routes.createDataset, length(3 * mebibyte));

  expect(await refused.received("The eval-runs service has too much in progress; retry.")).toMatch(
    /^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n/,
  );
  serving.finish();
});

test("a caller in the same process gets the same refusal, and its body counts", async () => {
  const localCalls = createLocalCalls();
  const serving = await serve({ localCalls });
  const client = createInternalClient({
    issuer: "gateway",
    audience: "ingest",
    addresses: [serving.url],
    rootSecret,
    clock: systemClock,
    localCalls,
  });
  const send = (bytes: number) =>
    client.forward({
      method: "POST",
      path: routes.submitTrace.path,
      headers: { "content-type": "application/json" },
      body: Buffer.alloc(bytes, " "),
      claims,
      deadlineMs: 10_000,
    });
  await serving.occupy(5 * mebibyte);

  const refused = await send(2 * mebibyte);
  expect([refused.status, refused.headers["retry-after"], refused.whole?.join().toString()]).toEqual([
    429,
    "1",
    '{"error":"Ingest queue is full - retry with backoff (Retry-After: 1s)."}',
  ]);
  expect((await send(1_000)).status).toBe(200);
  serving.finish();
  expect((await send(2 * mebibyte)).status).toBe(200);
  await nothingInHand(serving);
  await client.close();
});

test.each(["gives up in the middle of its body", "gives up while its body is worked on"])(
  "a client that %s leaves no memory reserved",
  async (how) => {
    const serving = await serve();
    if (how.includes("worked on")) {
      (await serving.occupy(3 * mebibyte)).abort();
      serving.finish();
    } else {
      const sending = serving.begin(routes.submitTrace, length(3 * mebibyte), " ");
      await vi.waitFor(async () => expect(await serving.bytes()).toBe(3 * mebibyte));
      sending.abort();
    }
    await nothingInHand(serving);
  },
);

test("a body that does not arrive in time leaves no memory reserved", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const serving = await serve();
  serving.begin(routes.submitTrace, { "transfer-encoding": "chunked" }, "1\r\n \r\n");
  serving.begin(routes.submitTrace, length(3 * mebibyte), " ");
  await vi.waitFor(async () => expect(await serving.bytes()).toBe(3 * mebibyte + 1));

  await vi.advanceTimersByTimeAsync(60_000);
  await nothingInHand(serving);
});

test.each<[what: string, headers: Record<string, string>, body: Buffer, handle: Handler]>([
  ["a handler that fails", {}, Buffer.from("{}"), () => Promise.reject(new Error("a bug"))],
  [
    "a body that is not what its encoding says",
    { "content-encoding": "gzip" },
    Buffer.alloc(200_000),
    async (call) => ({ status: 200, body: await call.json() }),
  ],
  [
    "a bomb",
    { "content-encoding": "gzip" },
    gzipSync(Buffer.alloc(11 * mebibyte)),
    async (call) => ({ status: 200, body: await call.json() }),
  ],
])("%s leaves no memory reserved", async (_what, headers, body, handle) => {
  const serving = await serve({ handle });
  const sending = serving.begin(routes.submitTrace, { ...length(body.length), ...headers }, body);

  expect(await sending.received("\r\n\r\n")).toMatch(/^HTTP\/1.1 (400|413|500) /);
  await nothingInHand(serving);
});
