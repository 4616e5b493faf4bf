import { once } from "node:events";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { identityHeader, type Route, routes, type ServiceName } from "@touchstone/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  AppError,
  createHttpServer,
  createInternalClient,
  createLocalCalls,
  createLogger,
  createMetrics,
  type Handler,
  type Hop,
  type HttpServer,
  type InternalClient,
  type LocalCalls,
  systemClock,
} from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const projectId = "00000000-0000-7000-8000-000000000001";
const write: Route = routes.submitTrace;

const hop: Hop = {
  method: write.method,
  path: write.path,
  headers: { "content-type": "application/json" },
  body: Buffer.from('{"name":"an agent"}'),
  claims: { projectId, organizationId: null, userId: null, role: "key", requestId: "request-1" },
  deadlineMs: 30_000,
};

let handle: Handler;
let server: HttpServer;
let address: string;
let watched: LocalCalls;
/** The number of requests answered without HTTP. */
let answeredHere: number;
let here: InternalClient;
let overHttp: InternalClient;

beforeEach(async () => {
  answeredHere = 0;
  const localCalls = createLocalCalls();
  watched = {
    ...localCalls,
    find(asked) {
      const answer = localCalls.find(asked);
      return answer === null
        ? null
        : (request) => {
            const answering = answer(request);
            if (answering !== null) answeredHere += 1;
            return answering;
          };
    },
  };
  server = createHttpServer({
    service: "ingest",
    routes: [
      { route: write, handle: (call) => handle(call) },
      { route: routes.listTraces, handle: (call) => handle(call) },
      { route: routes.streamTraces, handle: (call) => handle(call) },
      { route: routes.getTrace, handle: (call) => handle(call) },
    ],
    rootSecret,
    clock: systemClock,
    logger: createLogger({ service: "ingest", level: "silent" }),
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
    localCalls: watched,
  });
  address = await server.listen({ host: "127.0.0.1", port: 0 });
  here = clientOf(rootSecret, watched);
  overHttp = clientOf(rootSecret);
});

afterEach(async () => {
  await Promise.all([here.close(), overHttp.close(), server.stop()]);
});

function clientOf(
  secret: string,
  localCalls?: LocalCalls,
  { issuer, audience }: { issuer: ServiceName; audience: ServiceName } = { issuer: "gateway", audience: "ingest" },
): InternalClient {
  return createInternalClient({
    issuer,
    audience,
    addresses: [address],
    rootSecret: secret,
    clock: systemClock,
    localCalls,
  });
}

async function ask(client: InternalClient, asked: Hop) {
  const answer = await client.forward(asked);
  const whole = answer.whole?.join() ?? Buffer.from(await answer.body.arrayBuffer());
  const type = answer.headers["content-type"];
  return { status: answer.status, type, length: answer.headers["content-length"], text: whole.toString("utf8") };
}

const pathOfTrace = (id: string): string => routes.getTrace.path.replace("{traceId}", id);

const sayWho: Handler = async (call) => ({
  status: 201,
  body: { project: call.identity.projectId, got: await call.json() },
});

test("a write is answered in the process as it is over HTTP", async () => {
  handle = sayWho;

  const answer = await ask(here, hop);

  expect(answeredHere).toBe(1);
  expect(answer).toEqual(await ask(overHttp, hop));
  expect(answer).toMatchObject({ status: 201, text: `{"project":"${projectId}","got":{"name":"an agent"}}` });
});

test("a read is answered in the process as it is over HTTP, whatever its query looks like", async () => {
  handle = async ({ query, rawBody }) => ({ status: 200, body: { query: { ...query }, bytes: rawBody.length } });
  const queries = [
    "",
    "?",
    "?limit=2&search=a+b%20c",
    "?a=1&a=2&b",
    "?search=%E0%A4&x=%zz",
    "?q=1?2#3&&=4",
    "?__proto__=1",
  ];

  for (const query of queries) {
    const asked = { ...hop, method: "GET", path: routes.listTraces.path + query, headers: {}, body: undefined };
    const answer = await ask(here, asked);
    expect(answer.status).toBe(200);
    expect(answer).toEqual(await ask(overHttp, asked));
  }
  expect(answeredHere).toBe(queries.length);
});

test("failures are the same in the process and over HTTP", async () => {
  const failures: Handler[] = [
    async () => {
      throw new AppError("queue_full", "The queue is full; retry.", { retryAfterSeconds: 1 });
    },
    async () => {
      throw new Error("a bug");
    },
    async (call) => ({ status: 200, body: await call.json() }),
  ];
  for (const failing of failures) {
    handle = failing;
    const asked = { ...hop, body: Buffer.from('{"name":') };
    expect(await ask(here, asked)).toEqual(await ask(overHttp, asked));
  }
  expect(answeredHere).toBe(failures.length);
});

test("a compressed body is inflated within the limit", async () => {
  handle = sayWho;
  const headers = { ...hop.headers, "content-encoding": "gzip" };
  const limit = write.body?.maxBytes ?? 0;
  const asked = { ...hop, headers, body: gzipSync(JSON.stringify({ name: "x".repeat(1000) })) };
  const bomb = { ...hop, headers, body: gzipSync(Buffer.alloc(limit + 1)) };

  expect((await ask(here, asked)).status).toBe(201);
  expect((await ask(here, bomb)).status).toBe(413);
  expect(answeredHere).toBe(2);
});

test("an identity is signed for a request over HTTP only", async () => {
  handle = async ({ headers, identity }) => ({
    status: 200,
    body: { project: identity.projectId, isSigned: identityHeader in headers },
  });
  const strangerOverHttp = clientOf("another root secret, which is long enough, too");
  try {
    expect((await ask(here, hop)).text).toBe(JSON.stringify({ project: projectId, isSigned: false }));
    expect((await ask(overHttp, hop)).text).toBe(JSON.stringify({ project: projectId, isSigned: true }));
    expect((await ask(strangerOverHttp, hop)).status).toBe(401);
  } finally {
    await strangerOverHttp.close();
  }
});

test.each([
  { who: "for another service", issuer: "gateway", audience: "monitor" },
  { who: "of a service that may not ask", issuer: "judge", audience: "ingest" },
] as const)("in the process, too, an identity $who is refused", async ({ issuer, audience }) => {
  const stranger = clientOf(rootSecret, watched, { issuer, audience });
  try {
    expect((await ask(stranger, hop)).status).toBe(401);
    expect(answeredHere).toBe(1);
  } finally {
    await stranger.close();
  }
});

test("a call that is large or lasts, or has an escape or an unknown name in its path, is sent over HTTP", async () => {
  handle = sayWho;
  const tooLarge = { ...hop, body: Buffer.alloc((write.body?.maxBytes ?? 0) + 1) };
  const read = { ...hop, method: "GET", body: undefined };

  expect((await ask(here, tooLarge)).status).toBe(413);
  expect((await ask(here, { ...hop, path: "/nowhere" })).status).toBe(404);
  expect((await ask(here, { ...read, path: pathOfTrace("%6Fne") })).status).toBe(400);
  expect((await ask(here, { ...read, path: routes.streamTraces.path })).status).toBe(400);
  expect(answeredHere).toBe(0);
});

test("a parameter in the path is read in the process as it is over HTTP", async () => {
  handle = async ({ params, query }) => ({ status: 200, body: { params, query } });
  const read = { ...hop, method: "GET", path: `${pathOfTrace("one")}?a=b`, body: undefined };

  const answered = await ask(here, read);
  expect(JSON.parse(answered.text)).toEqual({ params: { traceId: "one" }, query: { a: "b" } });
  expect(answeredHere).toBe(1);
  expect(answered).toEqual(await ask(overHttp, read));
});

test("an answer that is made while it is read is read in the process, and ends when its reader leaves", async () => {
  let hasEnded = false;
  handle = async () => ({
    status: 200,
    contentType: "application/json",
    body: Readable.from(
      (async function* () {
        try {
          for (let at = 0; at < 1_000; at += 1) yield Buffer.from(`${at} `);
        } finally {
          hasEnded = true;
        }
      })(),
    ),
  });
  const read = { ...hop, method: "GET", path: pathOfTrace("one"), body: undefined };

  const whole = await ask(here, read);
  expect(whole.text).toMatch(/^0 1 .* 999 $/);
  expect({ ...whole, length: undefined }).toEqual({ ...(await ask(overHttp, read)), length: undefined });
  hasEnded = false;
  const { body } = await here.forward(read);
  await once(body, "readable");
  body.destroy();
  await expect.poll(() => hasEnded).toBe(true);
  expect(answeredHere).toBe(2);
});

test("the deadline holds, and the handler learns of it", async () => {
  let isGone = (): void => {};
  const gone = new Promise<void>((resolve) => {
    isGone = resolve;
  });
  handle = ({ signal }) =>
    new Promise(() => {
      signal.addEventListener("abort", () => isGone());
    });

  await expect(here.forward({ ...hop, deadlineMs: 20 })).rejects.toMatchObject({ code: "service_unavailable" });
  await gone;
  expect(answeredHere).toBe(1);
});

test("a caller that aborts gets its own reason", async () => {
  handle = () => new Promise(() => {});
  const abort = new AbortController();
  const reason = new Error("the caller is gone");
  const asked = here.forward({ ...hop, signal: abort.signal });

  abort.abort(reason);

  await expect(asked).rejects.toBe(reason);
  expect(answeredHere).toBe(1);
});

test("a server that stops is no longer called in the process", async () => {
  handle = sayWho;
  await server.stop();

  expect(watched.find(address)).toBeNull();
});
