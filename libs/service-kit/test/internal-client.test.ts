import { createServer, type Server } from "node:http";
import { internalRoutes } from "@touchstone/contracts";
import { afterEach, expect, test } from "vitest";
import {
  AppError,
  createHttpServer,
  createInternalClient,
  createLogger,
  createMetrics,
  type Hop,
  type HopAnswer,
  type InternalClient,
  serviceStarting,
  systemClock,
} from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const servers: Server[] = [];
const clients: InternalClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const hop: Hop = {
  method: "POST",
  path: "/",
  claims: { projectId: null, organizationId: null, userId: null, role: null, requestId: "request-1" },
  deadlineMs: 10_000,
};

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

function clientOf(...addresses: string[]): InternalClient {
  const client = createInternalClient({
    issuer: "gateway",
    audience: "ingest",
    addresses,
    rootSecret,
    clock: systemClock,
  });
  clients.push(client);
  return client;
}

test("a request that waits for a free connection keeps its own deadline", async () => {
  const client = clientOf(await listen(createServer(() => {})));
  const abort = new AbortController();
  const occupying = Array.from({ length: 256 }, () => client.forward({ ...hop, signal: abort.signal }));
  const ended = Promise.allSettled(occupying);

  await expect(client.forward({ ...hop, deadlineMs: 50 })).rejects.toMatchObject({ code: "service_unavailable" });

  abort.abort();
  await ended;
});

test("a caller that disconnects ends the request at the service", async () => {
  let arrived = (): void => {};
  const isArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((_request, response) => {
    response.once("close", closed);
    arrived();
  });
  const client = clientOf(await listen(server));
  const abort = new AbortController();
  const gone = new Error("the caller is gone");
  const asked = client.forward({ ...hop, signal: abort.signal });
  await isArrived;

  abort.abort(gone);

  await expect(asked).rejects.toBe(gone);
  await isClosed;
});

test("an expected failure of the body is the caller's failure, not the service's", async () => {
  const client = clientOf(await listen(createServer((request) => request.resume())));
  const refusal = new AppError("body_too_large", "request entity too large");
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from("some of it");
    throw refusal;
  }

  await expect(client.forward({ ...hop, body: body() })).rejects.toBe(refusal);
});

test("a streamed body is offered to the next replica when the first one refuses the connection", async () => {
  const echo = createServer((request, response) => request.pipe(response));
  const client = clientOf("http://127.0.0.1:1", await listen(echo));
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from("all ");
    yield Buffer.from("of it");
  }

  for (let attempt = 0; attempt < 10; attempt += 1) {
    const answer = await client.forward({ ...hop, body: body() });
    expect(Buffer.from(await answer.body.arrayBuffer()).toString()).toBe("all of it");
  }
});

test("an answer that stalls in the middle of its body is cut at the deadline", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
  });
  const client = clientOf(await listen(server));

  const answer = await client.forward({ ...hop, deadlineMs: 100 });

  await expect(answer.body.arrayBuffer()).rejects.toThrow("no answer within 100 ms");
  const asked = { projectId: crypto.randomUUID(), traceId: "t" };
  const calling = client.call(internalRoutes.readTraceForJudging, asked, { requestId: "request-1", deadlineMs: 100 });
  await expect(calling).rejects.toMatchObject({ code: "service_unavailable" });
});

/** Answers with a byte every 20 ms, without end. */
const trickle = () =>
  createServer((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
  });

/** Reads for longer than 100 ms from such a server. */
async function readOn({ body }: HopAnswer): Promise<void> {
  let read = "";
  for await (const piece of body) {
    read += String(piece);
    if (read.length >= 15) return;
  }
  throw new Error(`ended after ${read.length} bytes`);
}

test("the deadline of a streamed answer holds for its beginning; then only silence ends it", async () => {
  const client = clientOf(await listen(trickle()));
  await readOn(await client.forward({ ...hop, deadlineMs: 100, lasting: { idleMs: 60_000 } }));
});

test("a caller that passes an answer on may take time for it", async () => {
  const client = clientOf(await listen(trickle()));
  const answer = await client.forward({ ...hop, deadlineMs: 100 });
  answer.takeTime();
  await readOn(answer);
});

test("each piece of a slow body restarts the deadline", async () => {
  const server = createServer((request, response) => void request.resume().once("end", () => response.end("{}")));
  const client = clientOf(await listen(server));
  async function* body(): AsyncGenerator<Buffer> {
    for (let piece = 0; piece < 8; piece += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield Buffer.from("piece");
    }
  }

  const answer = await client.forward({ ...hop, body: body(), deadlineMs: 300 });

  expect(answer.status).toBe(200);
});

test.each([
  ["an outage of the service's store", new AppError("store_unavailable", "away", { isOutage: true }), true],
  ["the start of the service", serviceStarting(), true],
  ["a statement that took too long", new AppError("store_unavailable", "too long"), false],
  ["a bug of the service", new Error("a bug"), false],
])("the caller of an internal route learns whether a failure is an outage: %s", async (_, thrown, isOutage) => {
  const route = internalRoutes.readTraceUsage;
  const handle = async () => {
    throw thrown;
  };
  const server = createHttpServer({
    service: "ingest",
    routes: [{ route, handle }],
    rootSecret,
    clock: systemClock,
    logger: createLogger({ service: "ingest", level: "silent" }),
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  try {
    const client = clientOf(await server.listen({ host: "127.0.0.1", port: 0 }));
    const options = { requestId: "request-1", deadlineMs: 10_000 };
    const calling = client.call(route, { projectId: crypto.randomUUID() }, options);
    await expect(calling).rejects.toMatchObject({ code: "service_unavailable", isOutage });
  } finally {
    await server.stop();
  }
});
