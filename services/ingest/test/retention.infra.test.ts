import { randomBytes } from "node:crypto";
import { ingestActRecorded, type RecordedAct } from "@touchstone/contracts";
import { openDatabase } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { beforeEach, describe, expect, test } from "vitest";
import { createOldSpansStore } from "../src/retention/old-spans-store.ts";
import { sweepOldSpans } from "../src/retention/sweep-old-spans.ts";
import { createTraceRemover } from "../src/trace-store/removing/trace-remover.ts";
import { silentLogger } from "./ingest-database.ts";
import { buildLogs } from "./otlp/build-logs.ts";
import { useIngest } from "./running-ingest.ts";

const { database, ingest, pools } = useIngest({ config: { retentionDays: 30 } });

// Sweeps are of all projects: what another test chose must not keep this one's weeks.
beforeEach(async () => {
  await pools.maintenance.query({ name: "spans_of_all", text: "delete from ingest.spans" });
  await execute("delete from ingest.retention");
});

const dayMs = 24 * 60 * 60 * 1000;
const newProject = (): string => uuidv7(Date.now());
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();
const settings = "/api/v1/agent-monitoring/settings/retention";

async function sweep(retentionDays: number | null, changed: Partial<Parameters<typeof sweepOldSpans>[0]> = {}) {
  const [store, remover] = [createOldSpansStore(pools.maintenance), createTraceRemover(pools.maintenance)];
  return sweepOldSpans({ store, remover, retentionDays, mayGoOn: () => true, ...changed });
}

const keep = (projectId: string, retentionDays: number | null) =>
  ingest.call(projectId, "PUT", settings, { body: JSON.stringify({ retentionDays }) });

async function submitAged(projectId: string, ages: readonly number[]): Promise<void> {
  for (const age of ages) {
    const trace = { name: `${age} days`, spanId: `s${age}`, timestamp: daysAgo(age), framework: "f" };
    expect((await ingest.submit(projectId, trace)).status).toBe(201);
  }
}

async function listNames(projectId: string): Promise<string[]> {
  const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=100");
  const filtered = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=1&framework=f");
  expect(json.totalCount).toBe(json.traces.length);
  expect(filtered.json.totalCount).toBe(json.traces.length);
  return json.traces.map(({ name }: { name: string }) => name);
}

/** Something was said of every trace. */
async function judgeAll(): Promise<void> {
  await execute("insert into ingest.trace_verdicts select project_id, id, 1 from ingest.spans");
}

async function execute(text: string, url = database.adminUrl): Promise<{ rows: Record<string, unknown>[] }> {
  const superuser = openDatabase({
    url,
    role: new URL(url).username,
    applicationName: "retention test",
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    logger: silentLogger,
  });
  try {
    return await superuser.query({ name: text.slice(0, 60), text });
  } finally {
    await superuser.close();
  }
}

async function countOf(table: string, projectId: string): Promise<number> {
  const { rows } = await pools.maintenance.query<{ n: number }>({
    name: `${table}_count`,
    text: `select count(*)::integer as n from ingest.${table} where project_id = $1`,
    values: [projectId],
  });
  return rows[0]?.n ?? -1;
}

describe("a project's retention", () => {
  test("is the installation's until it chooses its own, and again when it takes that back", async () => {
    const projectId = newProject();
    const read = async () => (await ingest.call(projectId, "GET", settings)).json;
    expect(await read()).toEqual({ retentionDays: null, effectiveRetentionDays: 30 });
    expect((await keep(projectId, 7)).json).toEqual({ retentionDays: 7, effectiveRetentionDays: 7 });
    expect(await read()).toEqual({ retentionDays: 7, effectiveRetentionDays: 7 });
    expect((await keep(projectId, -1)).json).toEqual({ retentionDays: 0, effectiveRetentionDays: null });
    expect((await keep(projectId, null)).json).toEqual({ retentionDays: null, effectiveRetentionDays: 30 });
    expect((await ingest.call(newProject(), "GET", settings)).json.retentionDays).toBeNull();
  });

  test.for([{}, { retentionDays: "7" }, { retentionDays: 1.5 }, { retentionDays: 1e9 }, 7])(
    "is not %j",
    async (body) => {
      const projectId = newProject();
      const reply = await ingest.call(projectId, "PUT", settings, { body: JSON.stringify(body) });
      expect([reply.status, reply.json]).toEqual([
        400,
        { error: "retentionDays must be a whole number of days, or null" },
      ]);
    },
  );
});

describe("a sweep", () => {
  test("drops whole weeks that no project keeps, with their totals and all references to their spans", async () => {
    const [one, two] = [newProject(), newProject()];
    await submitAged(one, [100, 93, 1, 0]);
    const old = { name: "old", spanId: "old", timestamp: daysAgo(100) };
    const { traceId } = (await ingest.submit(two, old)).json;
    const scores = ["old", traceId, "other"].map((spanId) => ({ name: "n", value: 1, spanId }));
    await ingest.call(two, "POST", "/api/v1/scores", { body: JSON.stringify(scores) });
    await judgeAll();
    expect((await sweep(30)).weeks).toBeGreaterThanOrEqual(2);

    expect([await listNames(one), await listNames(two)]).toEqual([["0 days", "1 days"], []]);
    expect([await countOf("span_keys", one), await countOf("search_docs", one)]).toEqual([2, 2]);
    expect([await countOf("span_keys", two), await countOf("search_docs", two)]).toEqual([0, 0]);
    expect(await countOf("scores", two)).toBe(1);
    expect([await countOf("trace_verdicts", one), await countOf("trace_verdicts", two)]).toEqual([2, 0]);
    const { rows } = await execute("select * from ingest.list_detached_spans()");
    expect(rows).toEqual([]);
  });

  test("removes one by one what only some keep", async () => {
    const [short, long, forEver] = [newProject(), newProject(), newProject()];
    for (const projectId of [short, long, forEver]) await submitAged(projectId, [400, 50, 20, 3]);
    await keep(short, 10);
    await keep(forEver, 0);
    await judgeAll();
    expect(await sweep(30)).toMatchObject({ weeks: 0, traces: 5 });
    expect([await countOf("trace_verdicts", short), await countOf("trace_verdicts", forEver)]).toEqual([1, 4]);

    expect(await listNames(short)).toEqual(["3 days"]);
    expect(await listNames(long)).toEqual(["3 days", "20 days"]);
    expect(await listNames(forEver)).toEqual(["3 days", "20 days", "50 days", "400 days"]);
  });

  test("drops weeks only past the longest retention of any project", async () => {
    const [short, long] = [newProject(), newProject()];
    for (const projectId of [short, long]) await submitAged(projectId, [400, 200, 3]);
    await keep(long, 365);
    expect((await sweep(30)).weeks).toBeGreaterThanOrEqual(1);
    expect([await listNames(short), await listNames(long)]).toEqual([["3 days"], ["3 days", "200 days"]]);
  });

  test("removes nothing where nothing says how long, however old", async () => {
    const projectId = newProject();
    await submitAged(projectId, [2_000, 20_000]);
    expect(await sweep(null)).toEqual({ weeks: 0, traces: 0, spans: 0 });
    expect(await listNames(projectId)).toEqual(["2000 days", "20000 days"]);
  });

  test("removes traces dated before 2020 too", async () => {
    const projectId = newProject();
    await submitAged(projectId, [20_000, 1]);
    await sweep(30);
    expect(await listNames(projectId)).toEqual(["1 days"]);
  });

  test("removes a trace whole, by the age of its root, and old spans without a root", async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "root", spanId: "root", timestamp: daysAgo(11) });
    await ingest.submit(projectId, { name: "child", parentSpanId: "root", timestamp: daysAgo(9) });
    await ingest.submit(projectId, { name: "stray", parentSpanId: "never came", timestamp: daysAgo(11) });
    await ingest.submit(projectId, { name: "recent stray", parentSpanId: "never came", timestamp: daysAgo(9) });
    await keep(projectId, 10);
    expect(await sweep(null)).toEqual({ weeks: 0, traces: 1, spans: 3 });
    expect(await countOf("spans", projectId)).toBe(1);
  });

  test("removes old scores, also of projects without spans, and those of traces that it removes", async () => {
    const [short, forEver] = [newProject(), newProject()];
    for (const projectId of [short, forEver]) {
      await keep(projectId, projectId === short ? 10 : 0);
      const scores = [9, 11, 2_500].map((age) => ({
        ...{ id: `${age}`, name: "n", value: age, runId: "r" },
        timestamp: daysAgo(age),
      }));
      const body = JSON.stringify(scores);
      expect((await ingest.call(projectId, "POST", "/api/v1/scores", { body })).status).toBe(201);
    }
    const { json } = await ingest.submit(short, { name: "old", timestamp: daysAgo(100) });
    const body = JSON.stringify({ name: "n", value: 1, traceId: json.traceId });
    expect((await ingest.call(short, "POST", "/api/v1/scores", { body })).status).toBe(201);
    await sweep(null);
    expect([await countOf("scores", short), await countOf("scores", forEver)]).toEqual([1, 3]);
  });

  test("removes old log records whose span never came, with the last one also their trace and its media", async () => {
    const [short, forEver] = [newProject(), newProject()];
    const record = { event: "gen_ai.user.message", body: "hi" };
    const [aged, mixed] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    for (const projectId of [short, forEver]) {
      await keep(projectId, projectId === short ? 10 : 0);
      const body = buildLogs(
        ...[{}, { traceId: mixed }, { traceId: mixed, spanId: "1".repeat(16) }].map((more) => ({
          ...record,
          more: { traceId: aged, ...more },
        })),
      );
      expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/logs", { body })).status).toBe(200);
      const medium = { contentType: "image/png", contentLength: 1, sha256: randomBytes(32).toString("base64") };
      const announced = JSON.stringify({ ...medium, traceId: aged });
      expect((await ingest.call(projectId, "POST", "/api/v1/media", { body: announced })).status).toBe(201);
    }
    await execute(`
      update ingest.log_fragments set received_at = now() - interval '11 days' where span_id <> '${"1".repeat(16)}'`);
    await sweep(null);

    const left = async (projectId: string) => [
      await countOf("log_fragments", projectId),
      await countOf("traces", projectId),
      await countOf("media", projectId),
    ];
    expect([await left(short), await left(forEver)]).toEqual([
      [1, 1, 0],
      [3, 2, 1],
    ]);
  });

  test("that is broken off is finished by the next", async () => {
    const projectId = newProject();
    await submitAged(projectId, [100, 1]);
    await sweep(30, { mayGoOn: () => false });
    expect(await listNames(projectId)).toEqual(["1 days"]);
    expect(await countOf("span_keys", projectId)).toBe(2);

    await sweep(30);
    expect(await countOf("span_keys", projectId)).toBe(1);
    expect((await execute("select * from ingest.list_detached_spans()")).rows).toEqual([]);
  });

  test("that meets a long reader gives up soon, delays no other work, and succeeds after it", async () => {
    const [projectId, short] = [newProject(), newProject()];
    await submitAged(projectId, [100, 1]);
    await keep(short, 5);
    await submitAged(short, [6, 1]);
    await pools.maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "long_read", text: "select count(*) from ingest.spans" });
      await expect(sweep(30)).rejects.toMatchObject({ code: "store_unavailable" });
      expect(await listNames(short)).toEqual(["1 days"]);
      expect((await ingest.submit(projectId, { name: "today", framework: "f" })).status).toBe(201);
    });
    await sweep(30);
    expect(await listNames(projectId)).toEqual(["today", "1 days"]);
  });

  test("that fails for one project still sweeps the others", async () => {
    const [failing, other] = [newProject(), newProject()];
    // No week is dropped whole.
    await keep(newProject(), 0);
    for (const projectId of [failing, other]) await submitAged(projectId, [20, 1]);
    const remover = createTraceRemover(pools.maintenance);
    const removeTraces: typeof remover.removeTraces = async (projectId, ...rest) => {
      if (projectId === failing) throw new Error("too slow");
      return remover.removeTraces(projectId, ...rest);
    };
    await expect(sweep(10, { remover: { ...remover, removeTraces } })).rejects.toThrow("too slow");
    expect([await listNames(failing), await listNames(other)]).toEqual([["1 days", "20 days"], ["1 days"]]);
  });

  test("removes usage that is no longer queried, and search text whose traces are gone", async () => {
    const projectId = newProject();
    await submitAged(projectId, [1]);
    await execute("update ingest.trace_usage set day = day - 41");
    await execute(`
      insert into ingest.request_counts (project_id, hour, outcome, count, last_at)
      select '${projectId}', now() - age * interval '1 day', 'accepted', 1, now() from unnest(array[29, 32]) as age`);
    await execute("delete from ingest.search_docs where seq < 4096");
    await execute("select setval('ingest.search_docs_seq_seq', 4100)");
    await sweep(30);
    expect([await countOf("trace_usage", projectId), await countOf("request_counts", projectId)]).toEqual([0, 1]);
    const { rows } = await execute(
      "select to_regclass('ingest.search_docs_0') as first, to_regclass('ingest.search_docs_4096') as next",
    );
    expect([rows[0]?.first, rows[0]?.next]).toEqual([null, "ingest.search_docs_4096"]);

    await submitAged(projectId, [2]);
    expect(await listNames(projectId)).toEqual(["1 days", "2 days"]);
  });
});

describe("a span of a week that was dropped", () => {
  test("is stored again when it is sent again, even before its identity is cleared", async () => {
    const projectId = newProject();
    await submitAged(projectId, [100]);
    await sweep(30, { mayGoOn: () => false });
    expect(await countOf("span_keys", projectId)).toBe(1);

    const again = { name: "again", spanId: "s100", framework: "f" };
    const stored = await ingest.submit(projectId, again);
    expect([stored.status, stored.json.deduped]).toEqual([201, false]);
    await sweep(30);
    const replay = await ingest.submit(projectId, again);
    expect([replay.json.deduped, replay.json.traceId]).toEqual([true, stored.json.traceId]);
    expect(await listNames(projectId)).toEqual(["again"]);
  });

  test("may be dated into that week again", async () => {
    const projectId = newProject();
    await submitAged(projectId, [100]);
    await sweep(30, { mayGoOn: () => false });
    await submitAged(projectId, [100]);
    expect(await listNames(projectId)).toEqual(["100 days"]);
    await sweep(30);
    expect(await listNames(projectId)).toEqual([]);
    expect(await countOf("span_keys", projectId)).toBe(0);
  });
});

test("a changed retention and a deletion of traces are written to the audit log, once, in the same transaction", async () => {
  const projectId = newProject();
  const acts = async (): Promise<RecordedAct[]> =>
    (await execute("select subject, body from ingest.outbox order by id")).rows
      .filter(({ subject }) => subject === ingestActRecorded.subject)
      .map(({ body }) => ingestActRecorded.body.parse(JSON.parse(body as string)))
      .filter((act) => act.projectId === projectId);
  const noActs = "alter table ingest.outbox add constraint no_acts check (subject not like '%act%') not valid";
  await submitAged(projectId, [1, 2, 3]);

  await execute(noActs);
  expect((await keep(projectId, 7)).status).toBe(500);
  expect((await ingest.call(projectId, "DELETE", "/api/v1/ingest/traces?framework=f")).status).toBe(500);
  await execute("alter table ingest.outbox drop constraint no_acts");
  expect((await ingest.call(projectId, "GET", settings)).json.retentionDays).toBeNull();
  expect(await listNames(projectId)).toHaveLength(3);

  for (const days of [7, 7, null]) expect((await keep(projectId, days)).status).toBe(200);
  const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=1");
  const one = `/api/v1/ingest/traces/${json.traces[0]._id}`;
  expect((await ingest.call(projectId, "DELETE", one)).status).toBe(200);
  for (const _time of [1, 2]) await ingest.call(projectId, "DELETE", "/api/v1/ingest/traces?framework=f");
  await sweep(30);

  expect((await acts()).map(({ action, targetId, details }) => [action, targetId, details])).toEqual([
    ["retention.changed", null, { from: null, to: 7 }],
    ["retention.changed", null, { from: 7, to: null }],
    ["traces.deleted", json.traces[0]._id, {}],
    ["traces.deleted", null, { framework: "f" }],
  ]);
});
