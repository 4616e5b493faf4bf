import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import {
  type Answer,
  createHttpServer,
  createInternalClient,
  createLogger,
  createMetrics,
  type Handler,
  type Hop,
  type HttpServer,
  type InternalClient,
  serviceStarting,
  systemClock,
} from "../src/index.ts";

const rootSecret = "a root secret of the installation, long enough";
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const route = routes.createDataset;
const hop: Hop = {
  method: "POST",
  path: route.path,
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  claims: { projectId: null, organizationId: null, userId: null, role: null, requestId: "request-1" },
  deadlineMs: 10_000,
};

async function startReplica(
  handle: Handler,
  address = { host: "127.0.0.1", port: 0 },
  { clock = systemClock, logger = createLogger({ service: "test", level: "silent" }) } = {},
) {
  const server: HttpServer = createHttpServer({
    service: "eval-runs",
    routes: [{ route, handle }],
    rootSecret,
    clock,
    logger,
    metrics: createMetrics(),
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const url = await server.listen(address);
  cleanups.push(() => server.stop());
  return { url, port: Number(new URL(url).port), server };
}

function clientOf(addresses: readonly string[], lookUp?: (name: string) => Promise<{ address: string }[]>) {
  const client: InternalClient = createInternalClient({
    issuer: "gateway",
    audience: "eval-runs",
    addresses,
    rootSecret,
    clock: systemClock,
    ...(lookUp && { lookUp }),
  });
  cleanups.push(() => client.close());
  return client;
}

const counting = (counts: Record<string, number>, name: string): Handler => {
  counts[name] = 0;
  return async () => {
    counts[name] = (counts[name] ?? 0) + 1;
    return { status: 201, body: {} };
  };
};

async function ask(client: InternalClient, times: number): Promise<void> {
  for (let request = 0; request < times; request += 1) {
    const answer = await client.forward(hop);
    await answer.body.dump();
    expect(answer.status).toBe(201);
  }
}

test.each([
  ["ahead of", 600_000],
  ["behind", -600_000],
])(
  "a replica whose clock is ten minutes %s the others' costs no request, and says so in one line",
  async (side, ms) => {
    const logged: string[] = [];
    const logger = createLogger({ service: "eval-runs", level: "error" }, { write: (line) => void logged.push(line) });
    const counts: Record<string, number> = {};
    const clock = { now: () => Date.now() + ms };
    const [wrong, right] = [
      await startReplica(counting(counts, "wrong"), undefined, { clock, logger }),
      await startReplica(counting(counts, "right")),
    ];

    await ask(clientOf([wrong.url, right.url]), 20);

    expect((counts.wrong ?? 0) + (counts.right ?? 0)).toBe(20);
    expect(logged.map((line) => JSON.parse(line).clock)).toEqual([
      expect.stringMatching(new RegExp(`^The clock of this process is (59\\d|6\\d\\d) s ${side} that of gateway.$`)),
    ]);
  },
);

test("a name represents all its addresses; an added one gets its share, a removed one nothing more", async () => {
  const counts: Record<string, number> = {};
  const first = await startReplica(counting(counts, "first"));
  await startReplica(counting(counts, "second"), { host: "127.0.0.2", port: first.port });
  let addresses = ["127.0.0.1"];
  const client = clientOf([`http://eval-runs.test:${first.port}`], async () =>
    addresses.map((address) => ({ address })),
  );
  const now = vi.spyOn(performance, "now");
  const pass = (ms: number) => now.mockReturnValue(performance.now() + ms);

  await ask(client, 20);
  expect(counts).toEqual({ first: 20, second: 0 });

  addresses = ["127.0.0.1", "127.0.0.2"];
  pass(2_001);
  await ask(client, 100);
  expect(counts.second).toBeGreaterThan(20);

  addresses = ["127.0.0.2"];
  pass(2_001);
  await ask(client, 1);
  const before = counts.first;
  await ask(client, 20);
  expect(counts.first).toBe(before);
  now.mockRestore();
});

test("an unavailable name server removes no replica, and a name that it does not know yet is resolved again", async () => {
  const counts: Record<string, number> = {};
  const { port } = await startReplica(counting(counts, "only"));
  let answer: (() => Promise<{ address: string }[]>) | null = null;
  const client = clientOf([`http://eval-runs.test:${port}`], async () => {
    if (answer === null) throw new Error("ENOTFOUND");
    return answer();
  });

  await expect(client.forward(hop)).rejects.toMatchObject({ code: "service_unavailable" });
  answer = async () => [{ address: "127.0.0.1" }];
  await ask(client, 1);
  answer = null;
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
  await ask(client, 5);

  vi.restoreAllMocks();
  expect(counts.only).toBe(6);
});

test("a replica that refuses connections is avoided, and used again once it is back", async () => {
  const counts: Record<string, number> = {};
  const there = await startReplica(counting(counts, "there"));
  const gone = await startReplica(counting(counts, "gone"));
  const client = clientOf([there.url, gone.url]);
  await gone.server.stop();
  await ask(client, 50);
  expect(counts).toEqual({ there: 50, gone: 0 });

  await startReplica(counting(counts, "back"), { host: "127.0.0.1", port: gone.port });

  await vi.waitFor(async () => {
    await ask(client, 10);
    expect(counts.back).toBeGreaterThan(10);
  });
});

test("replicas that stop and start in turn under load fail no request", async () => {
  const counts: Record<string, number> = {};
  const slow = (name: string): Handler => {
    const count = counting(counts, name);
    return async (call): Promise<Answer> => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return count(call);
    };
  };
  const replicas = [await startReplica(slow("a")), await startReplica(slow("b"))];
  const client = clientOf(replicas.map(({ url }) => url));
  let isOver = false;
  let answered = 0;
  const load = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      await ask(client, 1);
      answered += 1;
      // Idle now and then: connections that are idle when a replica stops are the hard case.
      if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    }
  });

  for (let restart = 0; restart < 4; restart += 1) {
    const replica = replicas[restart % 2] as (typeof replicas)[number];
    await replica.server.stop();
    replicas[restart % 2] = await startReplica(slow(`r${restart}`), { host: "127.0.0.1", port: replica.port });
    const before = answered;
    await vi.waitFor(() => expect(answered).toBeGreaterThan(before + 100));
  }
  isOver = true;

  await Promise.all(load);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(answered);
});

/** A scripted server in place of a replica. */
async function startInstead(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => server.close().closeAllConnections());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

test("a request that a stopping replica did not accept is sent to another, a POST too", async () => {
  const counts: Record<string, number> = {};
  const other = await startReplica(counting(counts, "other"));
  const stopping = await startInstead((request, response) => {
    request.resume();
    response.writeHead(503, { "x-internal-not-taken": "1", "x-internal-draining": "1", connection: "close" }).end();
  });
  const client = clientOf([stopping, other.url]);

  await ask(client, 20);

  expect(counts.other).toBe(20);
});

test("a replica that is starting leaves its requests to another; alone, its own answer is returned", async () => {
  const counts: Record<string, number> = {};
  const other = await startReplica(counting(counts, "other"));
  const starting = await startReplica(async () => {
    throw serviceStarting();
  });

  await ask(clientOf([starting.url, other.url]), 20);
  const alone = await clientOf([starting.url]).forward(hop);

  expect(counts.other).toBe(20);
  expect([alone.status, await alone.body.json()]).toEqual([503, { error: "The service is starting; retry." }]);
});

test("a request that reaches the last known replica as it stops, starts or has stopped looks for newer ones", async () => {
  const counts: Record<string, number> = {};
  const newer = await startReplica(counting(counts, "newer"), { host: "127.0.0.2", port: 0 });
  const stopping = { "x-internal-not-taken": "1", "x-internal-draining": "1", connection: "close" };
  for (const headers of [stopping, { "x-internal-not-taken": "1" }, null]) {
    const old = createServer((request, response) => {
      request.resume();
      response.writeHead(201, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => old.listen(newer.port, "127.0.0.1", resolve));
    const addresses = ["127.0.0.1"];
    const client = clientOf([`http://eval-runs.test:${newer.port}`], async () =>
      addresses.map((address) => ({ address })),
    );
    // It knows the old replica now.
    await ask(client, 1);
    addresses.push("127.0.0.2");
    if (headers === null) {
      old.close().closeAllConnections();
    } else {
      old.removeAllListeners("request").on("request", (request, response) => {
        request.resume();
        response.writeHead(503, headers).end();
      });
      cleanups.push(() => old.close().closeAllConnections());
    }
    await ask(client, 1);
    old.close().closeAllConnections();
  }

  expect(counts.newer).toBe(3);
});

test("a POST that was sent and lost is not sent again", async () => {
  let taken = 0;
  const lost = await startInstead((request) => {
    taken += 1;
    request.socket.destroy();
  });
  const client = clientOf([lost, lost.replace("127.0.0.1", "127.0.0.2")]);

  await expect(client.forward(hop)).rejects.toMatchObject({ code: "service_unavailable" });

  expect(taken).toBe(1);
});

test("a client that connects while a server stops is answered or refused, and never reset with its request", async () => {
  const { url, port, server } = await startReplica(async () => ({ status: 201, body: {} }));
  const outcomes: Promise<string>[] = [];
  let isOver = false;
  const head = `GET /health/live HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`;
  const come = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("data", (answer) => resolve(answer.toString().slice(0, 9)));
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
      socket.write(head);
      cleanups.push(() => socket.destroy());
    });
  const coming = (async () => {
    for (; !isOver; await sleep(0)) outcomes.push(come());
  })();

  await server.stop();
  await sleep(20);
  isOver = true;
  await coming;

  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["HTTP/1.1 ", "ECONNREFUSED"]));
});
