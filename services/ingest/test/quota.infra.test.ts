import {
  ingestOutcomeHeader,
  internalRoutes,
  parseIngestOutcome,
  parseSpentQuota,
  spentQuotaHeader,
} from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { isAppError, uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepWithinQuota } from "../src/quota/keep-within-quota.ts";
import { createSpentProjects } from "../src/quota/spent-projects.ts";
import { createUsageStore } from "../src/quota/usage-store.ts";
import { createSearchBlockStore } from "../src/search/search-block-store.ts";
import { createPostgresTraceStore } from "../src/trace-store/postgres-trace-store.ts";
import { createSpanPartitionStore } from "../src/trace-store/span-partition-store.ts";
import { openPools } from "./ingest-database.ts";
import { type Reply, type RunningIngest, startIngest } from "./running-ingest.ts";
import { buildJob } from "./span-builders.ts";

const tracesPerDay = 20;
const quotaText = `Daily trace quota reached (${tracesPerDay}/day for this project). Quota resets at midnight UTC; raise SERVICE_QUOTA_TRACES_PER_DAY to change the ceiling.`;
const replicas: RunningIngest[] = [];
let database: TestDatabase;
let pools: { app: Database; maintenance: Database };

beforeAll(async () => {
  database = await createTestDatabase();
  for (let replica = 0; replica < 2; replica += 1) {
    const ingest = await startIngest({ databaseUrl: database.url, config: { tracesPerDay } });
    replicas.push(ingest);
    await ingest.ready();
  }
  pools = openPools(database.url);
});

afterAll(async () => {
  await Promise.all(replicas.map((ingest) => ingest.stop()));
  await Promise.all([pools.app.close(), pools.maintenance.close()]);
  await database.drop();
});

const newProject = (): string => uuidv7(Date.now());
const replica = (number: number): RunningIngest => replicas[number % replicas.length] as RunningIngest;
const roots = (names: readonly string[], traceDigit = "a"): string =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: names.map((name, index) => ({
              traceId: `a${traceDigit}`.padEnd(24, "0") + index.toString(16).padStart(8, "0"),
              spanId: "1".repeat(16),
              name,
            })),
          },
        ],
      },
    ],
  });
const sendExport = (ingest: RunningIngest, projectId: string, body: string): Promise<Reply> =>
  ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body });

async function countRoots(projectId: string): Promise<number> {
  const { json } = await replica(0).call(projectId, "GET", "/api/v1/ingest/traces?limit=1");
  return json.totalCount;
}

/** As the gateway asks it for `GET /agent-monitoring/usage`. */
async function readUsage(ingest: RunningIngest, projectId: string) {
  const { path } = internalRoutes.readTraceUsage;
  const { json } = await ingest.call(projectId, "POST", path, { body: JSON.stringify({ projectId }) });
  return internalRoutes.readTraceUsage.reply.parse(json);
}

async function spend(projectId: string, count = tracesPerDay): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => replica(0).submit(projectId, { name: "spent" })));
}

describe("a daily quota of traces", () => {
  test.for([1, 2])(
    "stores exactly that many of more that come at once, on %i replicas",
    { tags: ["spec:limit.quota.traces", "spec:ingest.429"] },
    async (replicaCount) => {
      const projectId = newProject();
      const replies = await Promise.all(
        Array.from({ length: tracesPerDay + 50 }, (_, index) =>
          replica(index % replicaCount).submit(projectId, { name: `n${index}`, spanId: `s${index}` }),
        ),
      );
      const stored = replies.filter(({ status }) => status === 201);
      const refused = replies.filter(({ status }) => status === 429);
      expect([stored.length, refused.length]).toEqual([tracesPerDay, 50]);
      expect(await countRoots(projectId)).toBe(tracesPerDay);
      const counted = await Promise.all(replicas.map(({ metrics }) => metrics.metrics()));
      const rejected = counted.map((text) => Number(/^service_ingest_spans_rejected_total (\d+)$/m.exec(text)?.[1]));
      expect(rejected.reduce((sum, count) => sum + count, 0)).toBe(50 * replicaCount);
      expect(refused.map(({ json }) => json)).toEqual(refused.map(() => ({ error: quotaText })));
      expect(refused[0]?.headers.get("retry-after")).toBeNull();
    },
  );

  test("holds for exports, each of which is stored whole or refused whole", {
    tags: ["spec:429.quota", "spec:envelope.otlp", "spec:limit.retry-after"],
  }, async () => {
    const projectId = newProject();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        sendExport(replica(index), projectId, roots(["1", "2", "3"], index.toString(16))),
      ),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect([replies.length - refused.length, refused.length]).toEqual([6, 10]);
    expect(await countRoots(projectId)).toBe(18);
    expect([refused[0]?.headers.get("retry-after"), refused[0]?.json]).toEqual(["60", { error: quotaText }]);
    // The rest of the quota is left: two more traces fit.
    expect(refused.map(({ headers }) => headers.get(spentQuotaHeader))).toEqual(refused.map(() => null));
    expect((await sendExport(replica(0), projectId, roots(["a", "b"], "f"))).status).toBe(200);
  });

  test("counts neither children nor replays", async () => {
    const projectId = newProject();
    const first = await replica(0).submit(projectId, { name: "root", spanId: "root" });
    await spend(projectId, tracesPerDay - 1);

    const replay = await replica(0).submit(projectId, { name: "root", spanId: "root" });
    expect([replay.status, replay.json.deduped, replay.json.traceId]).toEqual([201, true, first.json.traceId]);
    expect((await replica(0).submit(projectId, { name: "one too many" })).status).toBe(429);
    const child = await replica(0).submit(projectId, { name: "child", spanId: "child", parentSpanId: "root" });
    expect(child.status).toBe(201);
  });

  test("is each project's own", async () => {
    const [spentProject, other] = [newProject(), newProject()];
    await spend(spentProject);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        replica(0)
          .submit(index % 2 === 0 ? spentProject : other, { name: "x" })
          .then(({ status }) => status),
      ),
    );
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 429 : 201)));
  });

  test("tells the gateway how long it stays spent, and refuses the next without PostgreSQL", async () => {
    const projectId = newProject();
    await spend(projectId);
    const refused = await replica(0).submit(projectId, { name: "x" });
    const spent = parseSpentQuota(refused.headers.get(spentQuotaHeader));
    const usage = await readUsage(replica(0), projectId);
    expect(spent?.tracesPerDay).toBe(tracesPerDay);
    const untilReset = new Date(usage.resetsAt).getTime() - Date.now();
    expect(Math.abs((spent?.remainingMs ?? 0) - untilReset)).toBeLessThan(60_000);

    await pools.maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "lock_all", text: "lock table ingest.spans in access exclusive mode" });
      const trace = await replica(0).submit(projectId, { name: "x" });
      const spans = await sendExport(replica(0), projectId, roots(["x"]));
      expect([trace.status, spans.status, spans.headers.get(spentQuotaHeader) !== null]).toEqual([429, 429, true]);
    });
    expect(await countRoots(projectId)).toBe(tracesPerDay);
  });

  test("restarts with PostgreSQL's day", { tags: ["spec:limit.quota.reset"] }, async () => {
    const projectId = newProject();
    await spend(projectId);
    await pools.maintenance.query({
      name: "usage_of_yesterday",
      text: "update ingest.trace_usage set day = day - 1 where project_id = $1",
      values: [projectId],
    });

    expect((await replica(1).submit(projectId, { name: "of today" })).status).toBe(201);
    const usage = await readUsage(replica(1), projectId);
    expect(usage).toMatchObject({ used: 1, limit: tracesPerDay });
    const untilResetMs = Date.parse(usage.resetsAt) - Date.now();
    expect(usage.resetsAt).toMatch(/T00:00:00\.000Z$/);
    expect([untilResetMs > -60_000, untilResetMs <= 24 * 60 * 60_000 + 60_000]).toEqual([true, true]);
  });

  test("that is not set refuses nothing; introduced on a day it counts the traces stored earlier that day", {
    tags: ["spec:limit.quota.reset"],
  }, async () => {
    const projectId = newProject();
    const unlimited = await startIngest({ databaseUrl: database.url });
    await unlimited.ready();
    const [theirs, over] = [newProject(), tracesPerDay + 5];
    const stored = (replies: Reply[]) => replies.filter(({ status }) => status === 201).length;
    const submitMany = (whose: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => unlimited.submit(whose, { name: "before" })));
    expect(stored(await submitMany(theirs, over))).toBe(over);
    expect(await readUsage(unlimited, theirs)).toMatchObject({ used: over, limit: null });
    await submitMany(projectId, 15);
    await unlimited.stop();

    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => replica(index).submit(projectId, { name: "after" })),
    );
    expect(stored(replies)).toBe(5);
  });

  test("costs a batch of a spent project's traces a few statements, not some for each", async () => {
    let statements = 0;
    const counted: Database = {
      ...pools.app,
      query: (statement) => {
        statements += 1;
        return pools.app.query(statement);
      },
      transaction: (work) => {
        statements += 1;
        return pools.app.transaction(work);
      },
      scoped: (projectIds, work) => {
        statements += 1;
        return pools.app.scoped(projectIds, work);
      },
    };
    const store = createPostgresTraceStore({
      writing: counted,
      reading: pools.app,
      searching: pools.app,
      partitions: createSpanPartitionStore(pools.maintenance),
      blocks: createSearchBlockStore({ maintenance: pools.maintenance, building: pools.maintenance }),
      processNumber: 0,
      tracesPerDay: 7,
      assembleSpan: {} as never,
    });
    const quota = { tracesPerDay: 7, spent: createSpentProjects() };
    const insertBatch = keepWithinQuota(store, quota, createUsageStore(counted).readToday);
    const [greedy, other] = [newProject(), newProject()];
    const jobs = await Promise.all(
      Array.from({ length: 256 }, (_, index) => buildJob(index % 64 === 0 ? other : greedy, [{ name: "x" }])),
    );
    const outcomes = await insertBatch(jobs, 0);

    const refusals = outcomes.filter(
      (outcome) =>
        outcome.status === "rejected" && isAppError(outcome.reason) && outcome.reason.code === "trace_quota_spent",
    );
    expect(refusals).toHaveLength(256 - 4 - 7);
    expect(statements).toBeLessThanOrEqual(4);
  });
});

describe("the outcome of a request", () => {
  const outcomeOf = ({ headers }: Reply) => parseIngestOutcome(headers.get(ingestOutcomeHeader) ?? undefined);

  test("is reported to the gateway where the status does not say it", async () => {
    const projectId = newProject();
    const traceId = "a".repeat(32);
    const spans = (...all: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] });
    const records = (...all: object[]) => JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: all }] }] });
    const body = { kvlistValue: { values: [{ key: "content", value: { stringValue: "secret" } }] } };
    const ask = async (path: string, sent: string) =>
      outcomeOf(await replica(0).call(projectId, "POST", `/api/v1${path}`, { body: sent }));
    const exported = spans(
      { traceId, spanId: "b".repeat(16), name: "kept" },
      { traceId: "0".repeat(32), spanId: "b".repeat(16), name: "secret" },
      { traceId, spanId: "secret", name: "secret" },
    );

    expect(await ask("/otel/v1/traces", exported)).toEqual({
      outcome: "rejected_spans",
      count: 2,
      example: "traceId is all zeros",
    });
    expect(await ask("/otel/v1/logs", records({ traceId: "secret", eventName: "gen_ai.user.message", body }))).toEqual({
      outcome: "rejected_log_records",
      count: 1,
      example: "traceId must be 32 hex characters",
    });
    expect(
      outcomeOf(await replica(0).call(projectId, "POST", "/api/v1/import/traces", importOf("{}\nsecret\n"))),
    ).toEqual({
      outcome: "rejected_lines",
      count: 2,
      example: null,
    });
    expect(await ask("/ingest/traces", '{"model":["secret"],"tool_calls":"secret"}')).toEqual({
      outcome: "trace_invalid",
      count: 1,
      example: "name: Required; model: Expected string, received array; tool_calls: Expected array, received string",
    });
    expect(await ask("/ingest/traces", "secret")).toEqual({ outcome: "body_unreadable", count: 1, example: null });
    expect(await ask("/ingest/traces", '{"name":"good"}')).toBeNull();
    await spend(projectId);
    const spent = { outcome: "trace_quota_spent", count: 1, example: quotaText };
    expect(await ask("/ingest/traces", '{"name":"too many"}')).toEqual(spent);
    expect(await ask("/otel/v1/traces", spans({ traceId: "c".repeat(32), spanId: "c".repeat(16) }))).toEqual(spent);
    const interrupted = await replica(0).call(projectId, "POST", "/api/v1/import/traces", importOf('{"name":"one"}\n'));
    expect([interrupted.status, outcomeOf(interrupted)]).toEqual([429, spent]);
  });

  test("is summed over gateways, and read by project; counts that are too old, or of a deleted project, are left out", async () => {
    const [one, two, deleted] = [newProject(), newProject(), newProject()];
    const [present, past] = [hourBefore(0), hourBefore(1)];
    await pools.maintenance.query({
      name: "project_of_counts_delete",
      text: "insert into ingest.deleted_projects (project_id) values ($1)",
      values: [deleted],
    });
    const count = { outcome: "trace_invalid", count: 2, hour: present, lastAt: present, example: "name: Required" };
    await reportCounts(0, [
      { ...count, projectId: one },
      { ...count, projectId: one, hour: past, outcome: "accepted", example: null },
      { ...count, projectId: one, hour: hourBefore(24 * 32) },
      { ...count, projectId: two, count: 5 },
      { ...count, projectId: deleted },
    ]);
    await reportCounts(1, [{ ...count, projectId: one, count: 3, lastAt: past, example: null }]);

    expect(await readCounts(one, past)).toEqual([
      { hour: past, outcome: "accepted", count: 2, lastAt: present, example: null },
      { hour: present, outcome: "trace_invalid", count: 5, lastAt: present, example: "name: Required" },
    ]);
    expect(await readCounts(one, present)).toHaveLength(1);
    expect(await readCounts(two, past)).toMatchObject([{ count: 5 }]);
    const { rows } = await pools.maintenance.query<{ count: string }>({
      name: "counts_left_out",
      text: "select count(*) from ingest.request_counts where project_id = $1 or hour < now() - interval '31 days'",
      values: [deleted],
    });
    expect(rows[0]?.count).toBe("0");
  });

  const importOf = (body: string) => ({ body, headers: { "content-type": "application/x-ndjson" } });
  const hourBefore = (hours: number): string =>
    new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000).toISOString();

  async function reportCounts(number: number, counts: readonly object[]): Promise<void> {
    const { path } = internalRoutes.recordIngestCounts;
    const { status } = await replica(number).call(newProject(), "POST", path, { body: JSON.stringify({ counts }) });
    expect(status).toBe(200);
  }

  async function readCounts(projectId: string, since: string) {
    const { path, reply } = internalRoutes.readIngestCounts;
    const body = JSON.stringify({ projectId, since });
    return reply.parse((await replica(0).call(projectId, "POST", path, { body })).json).counts;
  }
});

describe("projects known to have spent their day", () => {
  test("are forgotten when it ends", () => {
    let elapsedMs = 0;
    const spent = createSpentProjects(() => elapsedMs);
    spent.remember("project", 1_000);
    elapsedMs = 999;
    expect([spent.remainingMs("project"), spent.remainingMs("other")]).toEqual([1, null]);
    elapsedMs = 1_000;
    expect(spent.remainingMs("project")).toBeNull();
  });

  test("are at most ten thousand", () => {
    const spent = createSpentProjects(() => 0);
    for (let index = 0; index <= 10_000; index += 1) spent.remember(`${index}`, 1_000);
    expect([spent.remainingMs("0"), spent.remainingMs("1"), spent.remainingMs("10000")]).toEqual([null, 1_000, 1_000]);
  });
});
