import { credentials, Metadata, makeGenericClientConstructor } from "@grpc/grpc-js";
import { ingestHealth, ingestOutcomeHeader, internalRoutes, routes } from "@touchstone/contracts";
import { AppError, createLogger, type Handler, isAppError } from "@touchstone/service-kit";
import { afterEach, expect, test } from "vitest";
import { otlpServices } from "../src/grpc/otlp-services.ts";
import { createCountKeeper } from "../src/ingest-health/count-keeper.ts";
import { createIngestCounts, type IngestCount } from "../src/ingest-health/ingest-counts.ts";
import { createIngestHealth } from "../src/operations/ingest-health.ts";
import {
  apiKey,
  bodyOf,
  head,
  post,
  projectId,
  sendRaw,
  startTestGateway,
  strangeKey,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A gateway in front of an ingest that stores counts as they come. */
async function start({ behind, ...options }: TestGatewayOptions = {}) {
  const { recordIngestCounts, readIngestCounts } = internalRoutes;
  const kept: (typeof recordIngestCounts.body)["_output"]["counts"] = [];
  const gateway = await startTestGateway({
    ...options,
    behind: {
      async recordIngestCounts(call) {
        kept.push(...recordIngestCounts.body.parse(await call.json()).counts);
        return { status: 200, body: {} };
      },
      async readIngestCounts(call) {
        const asked = readIngestCounts.body.parse(await call.json());
        return { status: 200, body: { counts: kept.filter((count) => count.projectId === asked.projectId) } };
      },
      ...behind,
    },
  });
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= gateway.stop();
    return stopping;
  };
  cleanups.push(stop);
  const readHealth = async () => {
    const path = `${gateway.url}${routes.readIngestHealth.path}?window=24h`;
    return ingestHealth.strict().parse(await bodyOf(await fetch(path, { headers: { "x-api-key": apiKey } })));
  };
  const readReasons = async () => {
    const { accepted, refusals } = await readHealth();
    return { accepted, ...Object.fromEntries(refusals.map(({ reason, count }) => [reason, count])) };
  };
  return { gateway, stop, kept, readHealth, readReasons };
}

const traces = routes.submitTrace.path;
const refusal = (...failure: ConstructorParameters<typeof AppError>): Handler => {
  return async () => {
    throw new AppError(...failure);
  };
};

test("accepted requests of every ingest route are counted, reads and metrics are not", async () => {
  const { gateway, readHealth } = await start();
  for (const route of [routes.submitTrace, routes.receiveTraces, routes.receiveTracesAtBase, routes.receiveLogs]) {
    await post(gateway, route.path, "{}");
  }
  await post(gateway, routes.importTraces.path, "{}\n", { "content-type": "application/x-ndjson" });
  await post(gateway, routes.receiveMetrics.path, "{}");
  await fetch(gateway.url + traces, { headers: { "x-api-key": apiKey } });

  expect(await readHealth()).toMatchObject({ accepted: 5, refused: 0, rejected: 0, refusals: [], parts: [] });
});

test("refusals of the gateway are counted by the code of the error", async () => {
  const { gateway, readReasons } = await start({ settings: { SERVICE_RATE_LIMIT_KEY_INGEST: "3" } });
  await sendRaw(
    gateway.url,
    head("POST", traces, { "content-type": "application/json", "content-length": "99999999" }),
  );
  await post(gateway, traces, "{}", { "content-type": "text/plain" });
  await post(gateway, traces, "{}");
  await post(gateway, traces, "{}");
  await post(gateway, traces, "{}");

  expect(await readReasons()).toEqual({
    accepted: 1,
    body_too_large: 1,
    unsupported_media_type: 1,
    rate_limited: 2,
  });
});

test("a request that is refused before its key is checked counts for the project whose key is cached", async () => {
  const { gateway, stop, kept } = await start({ settings: { SERVICE_RATE_LIMIT_DATA_PLANE: "2" } });
  await post(gateway, traces, "{}");
  await post(gateway, traces, "{}");
  await post(gateway, traces, "{}");
  await post(gateway, traces, "{}", { "x-api-key": strangeKey });
  await sendRaw(gateway.url, head("POST", traces, { host: "elsewhere.example", "content-length": "0" }));
  await stop();

  expect(kept.map(({ outcome, count }) => [outcome, count])).toEqual([
    ["accepted", 2],
    ["rate_limited", 1],
    ["host_refused", 1],
  ]);
});

test("a request with an unknown key is not counted", async () => {
  const { gateway, stop, kept } = await start();
  await post(gateway, traces, "{}", { "x-api-key": strangeKey });
  await sendRaw(gateway.url, head("POST", traces, { "x-api-key": "", "content-length": "0" }));
  await stop();

  expect(kept).toEqual([]);
});

test("what ingest refuses is counted by the outcome it reports, else by the status", async () => {
  const reported = (outcome: string) => ({ internalHeaders: { [ingestOutcomeHeader]: outcome } });
  const answers = [
    refusal("trace_quota_spent", "spent", reported("trace_quota_spent;1;Daily%20trace%20quota%20reached")),
    refusal("queue_full", "full"),
    refusal("store_unavailable", "away", reported("store_unavailable;1;")),
    refusal("service_unavailable", "starting"),
    refusal("trace_invalid", "invalid", reported("trace_invalid;1;name%3A%20Required")),
    refusal("body_unreadable", "not JSON"),
    refusal("forbidden", "Unauthorized workspace access"),
    async () => {
      throw new Error("a bug");
    },
  ];
  const { gateway, readHealth } = await start({
    behind: { submitTrace: (call) => (answers.shift() as Handler)(call) },
  });
  while (answers.length > 0) await post(gateway, traces, "{}");

  const { refused, refusals } = await readHealth();
  expect(refused).toBe(8);
  expect(new Map(refusals.map(({ reason, status, example }) => [reason, [status, example]]))).toEqual(
    new Map<string, unknown[]>([
      ["trace_quota_spent", [429, "Daily trace quota reached"]],
      ["queue_full", [429, null]],
      ["store_unavailable", [503, null]],
      ["service_unavailable", [503, null]],
      ["trace_invalid", [422, "name: Required"]],
      ["body_unreadable", [400, null]],
      ["forbidden", [403, null]],
      ["internal", [500, null]],
    ]),
  );
});

test("span updates with a wrong field are no body that cannot be read", async () => {
  const answers = [
    refusal("bad_request", "spanId is required", { internalHeaders: { [ingestOutcomeHeader]: "bad_request;1;" } }),
    refusal("body_unreadable", "not JSON"),
  ];
  const { gateway, readHealth } = await start({
    behind: { submitSpanUpdates: (call) => (answers.shift() as Handler)(call) },
  });
  while (answers.length > 0) await post(gateway, routes.submitSpanUpdates.path, "{}");

  const { refusals } = await readHealth();
  expect(refusals.map(({ reason, status, count }) => [reason, status, count])).toEqual([
    ["bad_request", 400, 1],
    ["body_unreadable", 400, 1],
  ]);
});

test("spans that a partial success rejects are counted, and the request counts as accepted", async () => {
  const headers = { [ingestOutcomeHeader]: "rejected_spans;3;traceId%20is%20all%20zeros" };
  const { gateway, readHealth } = await start({
    behind: { receiveTraces: async () => ({ status: 200, body: {}, headers }) },
  });
  const answer = await post(gateway, routes.receiveTraces.path, "{}");

  expect(answer.headers.has(ingestOutcomeHeader)).toBe(false);
  const health = await readHealth();
  expect(health).toMatchObject({ accepted: 1, refused: 0, rejected: 3 });
  expect(health.parts).toEqual([
    { items: "spans", count: 3, lastAt: expect.any(String), example: "traceId is all zeros" },
  ]);
});

test("exports over gRPC are counted like those over HTTP", async () => {
  const { gateway, stop, kept } = await start({
    settings: { SERVICE_OTLP_GRPC_PORT: "0", SERVICE_RATE_LIMIT_DATA_PLANE: "3" },
    behind: {
      async receiveTraces(call) {
        if (call.rawBody.length === 2) throw new AppError("queue_full", "full");
        return { status: 200, contentType: "application/x-protobuf", body: Buffer.alloc(0) };
      },
    },
  });
  const port = gateway.log.find(({ msg }) => msg === "taking OTLP/gRPC")?.port;
  const Client = makeGenericClientConstructor(otlpServices[0]?.definition ?? {}, "Otlp");
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  cleanups.push(() => client.close());
  const metadata = new Metadata();
  metadata.set("x-api-key", apiKey);
  for (const bytes of [1, 2, 1, 1]) {
    await new Promise((resolve) => client.Export?.(Buffer.alloc(bytes), metadata, resolve));
  }
  await stop();

  expect(kept.map(({ outcome, count }) => [outcome, count])).toEqual([
    ["accepted", 2],
    ["queue_full", 1],
    ["rate_limited", 1],
  ]);
});

test("hours are whole ones of UTC, the present one last; 1h shows the hour before it, too", async () => {
  const asked: string[] = [];
  const count = (hour: string, outcome: string, minute: string) => {
    return { hour: `2026-05-04T${hour}:00:00.000Z`, outcome, count: 2, lastAt: `2026-05-04T${minute}:00.000Z` };
  };
  const read = createIngestHealth({
    clock: { now: () => Date.parse("2026-05-04T11:00:00Z") },
    keeper: { flush: async () => undefined },
    ingest: {
      async call(_route: unknown, { since }: { since: string }) {
        asked.push(since);
        const [old, recent] = [{ example: "old" }, { example: null }];
        return {
          counts: [
            { ...count("10", "accepted", "10:01"), ...recent },
            { ...count("10", "trace_invalid", "10:02"), ...old },
            { ...count("11", "of_a_newer_version", "11:00"), ...recent },
            { ...count("11", "rejected_spans", "11:00"), ...recent },
            { ...count("11", "trace_invalid", "11:00"), ...recent },
          ],
        };
      },
    } as never,
  });

  const { body } = await read({ projectId, window: "1h" }, "request");
  expect(ingestHealth.strict().parse(body)).toEqual({
    window: "1h",
    since: "2026-05-04T10:00:00.000Z",
    accepted: 2,
    refused: 4,
    rejected: 2,
    refusals: [{ reason: "trace_invalid", status: 422, count: 4, lastAt: "2026-05-04T11:00:00.000Z", example: "old" }],
    parts: [{ items: "spans", count: 2, lastAt: "2026-05-04T11:00:00.000Z", example: null }],
    hours: [
      { ts: "2026-05-04T10:00:00.000Z", accepted: 2, refused: 2, rejected: 0, refusals: { trace_invalid: 2 } },
      { ts: "2026-05-04T11:00:00.000Z", accepted: 0, refused: 2, rejected: 2, refusals: { trace_invalid: 2 } },
    ],
  });
  for (const window of ["24h", "7d", "30d", "1y"]) await read({ projectId, window }, "request");
  expect(asked.slice(1)).toEqual([
    "2026-05-03T12:00:00.000Z",
    "2026-04-27T12:00:00.000Z",
    "2026-04-04T12:00:00.000Z",
    "2026-04-27T12:00:00.000Z",
  ]);
});

test("while ingest is unavailable the answer is 503, and the counts are stored later", async () => {
  let isAway = true;
  const { gateway, kept } = await start({
    behind: {
      recordIngestCounts: async (call) => {
        if (isAway) throw new AppError("store_unavailable", "away");
        kept.push(...internalRoutes.recordIngestCounts.body.parse(await call.json()).counts);
        return { status: 200, body: {} };
      },
    },
  });
  const read = () => fetch(gateway.url + routes.readIngestHealth.path, { headers: { "x-api-key": apiKey } });
  await post(gateway, traces, "{}");

  expect((await read()).status).toBe(503);
  await post(gateway, traces, "{}");
  isAway = false;
  expect(await bodyOf(await read())).toMatchObject({ accepted: 2 });
  expect(kept.map(({ count }) => count)).toEqual([2]);
});

test("a gateway that stops sends its counts", async () => {
  const { gateway, stop, kept } = await start();
  await post(gateway, traces, "{}");
  await stop();

  expect(kept).toEqual([
    {
      projectId,
      outcome: "accepted",
      count: 1,
      hour: expect.stringMatching(/:00:00.000Z$/),
      lastAt: expect.any(String),
      example: null,
    },
  ]);
});

test("the counter has a bound, reports what it missed, and restores counts that could not be stored", () => {
  const clock = { now: () => 3_600_000 };
  const counts = createIngestCounts({ clock, entriesMax: 3 });
  const accepted = { outcome: "accepted", count: 1, example: null } as const;
  for (let request = 0; request < 10_000; request += 1) counts.add("one", { ...accepted, outcome: "queue_full" });
  for (const project of ["one", "two", "three", "four", "four"]) counts.add(project, accepted);

  const taken = counts.take();
  const figures = (all: readonly IngestCount[]) => all.map((each) => [each.projectId, each.outcome, each.count]);
  const expected = [
    ["one", "queue_full", 10_000],
    ["one", "accepted", 1],
    ["two", "accepted", 1],
  ];
  expect([figures(taken.counts), taken.missed]).toEqual([expected, 3]);
  expect(counts.take()).toEqual({ counts: [], missed: 0 });

  counts.add("one", accepted);
  counts.restore(taken.counts);
  expect(figures(counts.take().counts).toSorted()).toEqual(
    [
      ["one", "accepted", 2],
      ["one", "queue_full", 10_000],
      ["two", "accepted", 1],
    ].toSorted(),
  );
});

test("counts are sent by one request at a time, and what fails is sent again with the next", async () => {
  const counts = createIngestCounts({ clock: { now: () => 0 } });
  const sent: number[][] = [];
  let isAway = true;
  let atOnce = 0;
  const keeper = createCountKeeper({
    counts,
    clock: { now: () => 0 },
    logger: createLogger({ service: "gateway", level: "silent" }),
    ingest: {
      async call(_route: unknown, body: { counts: { count: number }[] }) {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await Promise.resolve();
        atOnce -= 1;
        if (isAway) throw new AppError("service_unavailable", "away");
        sent.push(body.counts.map(({ count }) => count));
      },
    } as never,
  });
  for (let project = 0; project < 1_500; project += 1) {
    counts.add(`p${project}`, { outcome: "accepted", count: 1, example: null });
  }

  await expect(keeper.flush()).rejects.toSatisfy(isAppError);
  isAway = false;
  counts.add("p0", { outcome: "accepted", count: 1, example: null });
  const first = keeper.flush();
  counts.add("late", { outcome: "accepted", count: 1, example: null });
  await Promise.all([first, ...Array.from({ length: 100 }, () => keeper.flush())]);

  expect(sent.map(({ length }) => length)).toEqual([1_000, 500, 1]);
  expect(sent.flat().reduce((sum, count) => sum + count, 0)).toBe(1_502);
});
