import { createServer, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { internalRoutes, limits, routes } from "@touchstone/contracts";
import { type Call, Pieces } from "@touchstone/service-kit";
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

/** A server in ingest's place that does as it likes with the connection of a request; counts it takes. */
async function startInstead(listener: RequestListener): Promise<TestGateway> {
  const server = createServer((request, response) => {
    if (request.url !== internalRoutes.recordIngestCounts.path) return listener(request, response);
    request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return start({ settings: { SERVICE_INGEST_URL: `http://127.0.0.1:${port}` } });
}

const traces = routes.submitTrace.path;
const otlp = routes.receiveTraces.path;

/** The gateway's warnings, except about the bus, which is unavailable in these tests. */
const troublesOf = ({ log }: TestGateway) =>
  log.filter(({ level, msg }) => level !== "info" && level !== "debug" && !String(msg).startsWith("bus"));

test.each([[0], [1, 0, 9], [40_000, 25_536], [40_000, 25_537], [300_000, 500_000], [mebibyte, mebibyte, 1]])(
  "an answer in pieces of %s %s %s bytes arrives the same from a service in the same process and in another",
  async (...sizes) => {
    const pieces = sizes.map((size, at) => Buffer.alloc(size, `piece ${at} `));
    const listTraces = async () => ({ status: 200, body: new Pieces(pieces) });
    const answersOf = async (isLocal: boolean) => {
      const { url } = await start({ isLocal, behind: { listTraces } });
      // The second comes over the connection of the first.
      const ask = () => fetch(url + routes.listTraces.path, { headers: { "x-api-key": apiKey } });
      const answers = [await ask(), await ask()];
      return Promise.all(
        answers.map(async (answer) => ({
          status: answer.status,
          headers: ["content-length", "content-type", "connection"].map((name) => answer.headers.get(name)),
          bytes: Buffer.from(await answer.arrayBuffer()),
        })),
      );
    };

    const [first, second] = await answersOf(true);

    expect(first?.bytes.equals(Buffer.concat(pieces))).toBe(true);
    expect(second).toEqual(first);
    expect(await answersOf(false)).toEqual([first, second]);
  },
);

test.each([
  ["/api/v1/agent-monitoring/signals?status=open", "GET", { query: { status: "open" } }],
  ["/api/v1/agent-monitoring/patterns", "GET", {}],
  ["/api/v1/agent-monitoring/patterns", "POST", {}],
  ["/api/v1/agent-monitoring/kpis?window=24h", "GET", { query: { window: "24h" } }],
  ["/api/v1/agent-monitoring/online-evaluators/a%2Fb/ratings", "GET", { params: { onlineEvaluatorId: "a/b" } }],
  ["/api/v1/%61gent-monitoring/online-evaluators/x/events?window=7d", "GET", { query: { window: "7d" } }],
  ["/api/v1/agent-monitoring/online-evaluators/x/calibration", "GET", { params: { onlineEvaluatorId: "x" } }],
] as const)("%s is another address of what monitor answers to %s", async (path, method, heard) => {
  const { url } = await start();

  const answer = await fetch(url + path, { method, headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject(heard);
});

test.each([
  ["of the same process", true],
  ["of another process", false],
])("a service %s does not see a client's traceparent and tracestate", async (_where, isLocal) => {
  const gateway = await start({ isLocal });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

  const answer = await post(gateway, traces, "{}", { traceparent, tracestate: "vendor=1", "user-agent": "client" });

  const { headers } = await bodyOf(answer);
  expect(headers).toMatchObject({ "user-agent": "client" });
  expect(headers).not.toHaveProperty("traceparent");
  expect(headers).not.toHaveProperty("tracestate");
});

test("a service that is down is answered 503 with Retry-After at once, on OTLP as { message }", async () => {
  const gateway = await start();
  await gateway.stopBehind("ingest");

  const answers = [await post(gateway, traces, "{}"), await post(gateway, otlp, "{}")];

  for (const answer of answers) expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  const message = "The ingest service is not reachable; retry.";
  expect(await answers[0]?.json()).toEqual({ statusCode: 503, message });
  expect(await answers[1]?.json()).toEqual({ message });
  expect((await post(gateway, routes.createDataset.path, "{}")).status).toBe(200);
});

test.each([
  ["of the same process", true],
  ["of another process", false],
])(
  "an address is passed on to a service %s up to the limit of a request's head; beyond it is 431",
  async (_where, isLocal) => {
    const gateway = await start({ isLocal });
    const ask = (bytes: number) => {
      const request = head("GET", `${traces}?search=`);
      return sendRaw(gateway.url, request.replace("search=", `search=${"x".repeat(bytes - request.length)}`));
    };

    const [fits, exceeds] = [await ask(limits.requestHeadMaxBytes - 200), await ask(limits.requestHeadMaxBytes + 200)];

    expect(fits).toMatch(/^HTTP\/1\.1 200 /);
    expect(fits).toMatch(/"search":"x{15000,}"/);
    expect(exceeds).toMatch(/^HTTP\/1\.1 431 /);
    const message = "The address and the headers of the request are too large together.";
    expect(exceeds).toContain(JSON.stringify({ statusCode: 431, message }));
  },
);

test("the answer of a service that refuses a large body before it has read it arrives", async () => {
  const gateway = await startInstead((_request, response) => {
    response.writeHead(429, { "retry-after": "1", "content-type": "application/json", "content-length": "2" });
    response.end("{}");
  });

  for (let request = 0; request < 3; request += 1) {
    const answer = await postChunked(gateway, otlp, Buffer.alloc(9 * mebibyte, " "));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
  }
});

test("a request to a service that hangs is abandoned at the route's deadline", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const gateway = await startInstead(() => vi.advanceTimersByTime(routes.listTraces.deadlineMs));

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(503);
  expect((await bodyOf(answer)).message).toBe("The ingest service did not answer in time; retry.");
});

test("the time that a client takes to send a large body does not count towards the service's deadline", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const gateway = await startInstead((request, response) => {
    vi.advanceTimersByTime(routes.receiveTraces.deadlineMs);
    request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });

  const answer = await postChunked(gateway, otlp, Buffer.alloc(9 * mebibyte, " "));

  expect(answer.status).toBe(200);
});

test("a request whose service dies in the middle of it is answered 503", async () => {
  const gateway = await startInstead((request) => request.socket.destroy());

  const answer = await post(gateway, traces, "{}");

  expect([answer.status, await answer.json()]).toEqual([
    503,
    { statusCode: 503, message: "The ingest service is not reachable; retry." },
  ]);
});

test("a request whose answer breaks off early is answered 503", async () => {
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

test("a long answer that breaks off breaks off at the client, too, so that it does not look complete", async () => {
  const gateway = await startInstead((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write("line\n", () => setTimeout(() => response.destroy(), 20));
  });

  const answer = await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test("a client that disconnects ends the request at the service", async () => {
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
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ operation: "submitResults", outcome: "client_gone", status: 499 }),
    ),
  );
  expect(troublesOf(gateway)).toEqual([]);
});

test("a client that disconnects in the middle of its body is not logged as an error", async () => {
  const gateway = await start();
  const { hostname, port } = new URL(gateway.url);
  for (const bytes of [10, 3 * mebibyte]) {
    const socket = connect(Number(port), hostname);
    socket.write(head("POST", traces, { "content-type": "application/json", "content-length": "9000000" }));
    socket.write(Buffer.alloc(bytes, " "), () => setTimeout(() => socket.destroy(), 20));
    await new Promise((resolve) => socket.once("close", resolve));
  }

  await vi.waitFor(() => expect(gateway.log.filter(({ status }) => status === 499)).toHaveLength(2));
  expect(troublesOf(gateway)).toEqual([]);
});

test("a gateway whose identity a service refuses answers 503 instead of 401, and logs it for the operator", async () => {
  const gateway = await start({
    settings: { SERVICE_INTERNAL_SECRET: "another root secret, one that nobody else was given" },
  });

  const answer = await fetch(gateway.url + routes.getAuthConfig.path);

  expect([answer.status, (await bodyOf(answer)).statusCode]).toEqual([503, 503]);
  expect(gateway.log).toContainEqual(
    expect.objectContaining({ level: "error", msg: "a service refused the gateway's identity" }),
  );
});

test("replicas share the requests, and one that is down is skipped", async () => {
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
