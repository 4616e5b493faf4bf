import { notTakenHeader } from "@touchstone/contracts";
import { type Database, openDatabase } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { useTestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPools, silentLogger } from "./ingest-database.ts";
import { type Reply, type RunningIngest, startIngest, until } from "./running-ingest.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const database = useTestDatabase();

const newProject = (): string => uuidv7(Date.now());
const twoSpans = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: ["1", "2"].map((digit) => ({ traceId: "a".repeat(32), spanId: digit.repeat(16), name: digit })),
        },
      ],
    },
  ],
});

describe("with PostgreSQL unavailable", () => {
  let proxy: TcpProxy;
  let ingest: RunningIngest;

  beforeAll(async () => {
    proxy = await startTcpProxy(database.url);
    await proxy.cut();
    ingest = await startIngest({ databaseUrl: proxy.url });
  });

  afterAll(async () => {
    await ingest.stop();
    await proxy.cut();
  });

  test("the service starts, reports why it is not ready, and becomes ready by itself", async () => {
    const readiness = await ingest.service.readiness();
    expect(readiness.ready).toBe(false);
    const refused = await ingest.submit(newProject(), { name: "x" });
    expect([refused.status, refused.headers.get("retry-after"), refused.json]).toEqual([
      503,
      "2",
      { error: "The service is starting; retry." },
    ]);
    const read = await ingest.call(newProject(), "GET", "/api/v1/ingest/traces");
    // Another replica may be ready: the gateway sends both to it.
    expect([refused, read].map(({ headers }) => headers.get(notTakenHeader))).toEqual(["1", "1"]);
    expect([read.status, read.json]).toEqual([
      503,
      { statusCode: 503, message: "Trace storage is unavailable; retry." },
    ]);

    await proxy.open();
    await ingest.ready();
    expect((await ingest.submit(newProject(), { name: "x" })).status).toBe(201);
  });

  test("every request gets a retry response, nothing is stored, and everything works again without a restart", {
    tags: [
      "spec:limit.retry-after",
      "spec:otlp.envelope",
      "spec:envelope.otlp",
      "spec:envelope.global",
      "spec:retry.otlp",
    ],
  }, async () => {
    const projectId = newProject();
    const kept = await ingest.submit(projectId, { name: "kept", spanId: "1" });
    await proxy.cut();

    const trace = await ingest.submit(projectId, { name: "lost", spanId: "2" });
    const spans = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body: twoSpans });
    const read = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${kept.json.trace_id}`);
    expect([trace.status, trace.headers.get("retry-after"), trace.json]).toEqual([
      503,
      "2",
      { error: "Trace storage is unavailable - the span was not stored; retry." },
    ]);
    expect([spans.status, spans.headers.get("retry-after"), spans.json]).toEqual([
      503,
      "2",
      { message: "trace storage unavailable - 2 spans not stored, retry" },
    ]);
    expect([read.status, read.headers.get("retry-after"), read.json]).toEqual([
      503,
      "5",
      { statusCode: 503, message: "Trace storage is unavailable; retry." },
    ]);
    expect((await ingest.service.readiness()).ready).toBe(false);

    await proxy.open();
    await until(async () => (await ingest.submit(projectId, { name: "lost", spanId: "2" })).status === 201);
    const page = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(page.json.traces.map(({ name }: { name: string }) => name)).toEqual(["lost", "kept"]);
  });

  test("a trace whose commit succeeded without an answer gets a 503, and a retry with its span id finds it", {
    tags: ["spec:retry.safe", "spec:retry.trace"],
  }, async () => {
    const { maintenance } = openPools(database.url);
    const projectId = newProject();
    const once = { name: "once", spanId: "1" };
    let unheard: Promise<Reply> | undefined;
    await maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "spans_lock", text: "lock table ingest.spans in exclusive mode" });
      unheard = ingest.submit(projectId, once);
      await until(async () => {
        const waiting = {
          name: "",
          text: "select 1 from pg_locks where relation = 'ingest.spans'::regclass and not granted",
        };
        return (await transaction.query(waiting)).rows.length > 0;
      });
      // The statement has reached the server: it commits once the lock is released, and the client is gone.
      await proxy.cut();
    });
    expect((await unheard)?.status).toBe(503);
    const stored = { name: "", text: `select from ingest.spans where project_id = '${projectId}'` };
    await until(async () => (await maintenance.query(stored)).rows.length === 1);
    await maintenance.close();

    await proxy.open();
    await until(async () => (await ingest.submit(projectId, once)).status === 201);
    const again = await ingest.submit(projectId, once);
    expect(again.json.deduped).toBe(true);
    const page = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(page.json).toMatchObject({ totalCount: 1, traces: [{ _id: again.json.trace_id, spanId: "1" }] });
  });

  test("connections that die in the middle of a load cost no acknowledged trace and double none", async () => {
    const projectId = newProject();
    const acknowledged = new Set<string>();
    let sent = 0;
    const sender = async (name: number): Promise<void> => {
      for (let turn = 0; turn < 40; turn += 1) {
        sent += 1;
        const spanId = `${name}-${turn}`;
        const reply = await ingest.submit(projectId, { name: spanId, spanId });
        if (reply.status === 201) acknowledged.add(spanId);
      }
    };
    const load = Promise.all(Array.from({ length: 8 }, (_, name) => sender(name)));
    await until(async () => sent > 60);
    await proxy.cut();
    await proxy.open();
    await load;
    await ingest.ready();

    const stored: string[] = [];
    let cursor = "";
    do {
      const { json } = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?limit=100${cursor}`);
      stored.push(...json.traces.map(({ spanId }: { spanId: string }) => spanId));
      expect(json.totalCount).toBeGreaterThanOrEqual(acknowledged.size);
      cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");
    expect(new Set(stored).size).toBe(stored.length);
    expect([...acknowledged].filter((spanId) => !stored.includes(spanId))).toEqual([]);
  });
});

describe("reads of one project that are slow", () => {
  const slow = newProject();
  let admin: Database;
  const run = (text: string) => admin.query({ name: "", text });
  let ingest: RunningIngest;

  beforeAll(async () => {
    ingest = await startIngest({ databaseUrl: database.url });
    await ingest.ready();
    admin = openDatabase({
      url: database.adminUrl,
      role: new URL(database.adminUrl).username,
      applicationName: "ingest test",
      connectionsMax: 1,
      statementTimeoutMs: 20_000,
      logger: silentLogger,
    });
    // Every read of a project passes through it.
    await run("alter function ingest.open_projects(text) rename to open_projects_at_once");
    await run(`
      create function ingest.open_projects(projects text) returns text language plpgsql as $$
      begin
        if projects = '${slow}' then perform pg_sleep(3); end if;
        return ingest.open_projects_at_once(projects);
      end $$`);
  });

  afterAll(async () => {
    await ingest.stop();
    await run("drop function ingest.open_projects(text)");
    await run("alter function ingest.open_projects_at_once(text) rename to open_projects");
    await admin.close();
  });

  test("do not delay another project's lists, searches and exports, nor its writes and replays", async () => {
    const other = newProject();
    const span = { name: "of the other", spanId: "1" };
    expect((await ingest.submit(other, span)).status).toBe(201);
    let slowAnswers = 0;
    const paths = ["traces", "traces?search=anything"];
    const reading = Array.from({ length: 40 }, async (_, index) => {
      const { status } = await ingest.call(slow, "GET", `/api/v1/ingest/${paths[index % paths.length]}`);
      slowAnswers += 1;
      return status;
    });
    const held = /^service_share_held\{service="ingest",resource="(lists|searches)_reads"\} (\d+)$/gm;
    await until(async () => {
      const counts = [...(await ingest.metrics.metrics()).matchAll(held)].map(([, , count]) => Number(count));
      return counts.join() === "8,4";
    });

    for (const path of ["ingest/traces", "ingest/traces?search=other", "ingest/traces/histogram", "export/traces"]) {
      const answer = await ingest.call(other, "GET", `/api/v1/${path}`);
      expect([path, answer.status, answer.text.includes("Trace storage")]).toEqual([path, 200, false]);
    }
    expect((await ingest.submit(other, { name: "another" })).status).toBe(201);
    expect((await ingest.submit(other, span)).json).toMatchObject({ deduped: true });
    expect(slowAnswers).toBeLessThan(40);

    const statuses = await Promise.all(reading);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });
});

describe("a store that does not keep up", () => {
  test("fills the queue, which then refuses, and nothing refused is stored", {
    tags: [
      "spec:limit.retry-after",
      "spec:ingest.429",
      "spec:429.queue-full",
      "spec:otlp.envelope",
      "spec:envelope.otlp",
      "spec:retry.otlp",
    ],
  }, async () => {
    const ingest = await startIngest({ databaseUrl: database.url, config: { queueRowsMax: 4 } });
    await ingest.ready();
    const { maintenance } = openPools(database.url);
    const projectId = newProject();
    const depth = async () =>
      (await ingest.metrics.getSingleMetric("service_ingest_queue_depth")?.get())?.values[0]?.value;

    let admitted: Promise<{ status: number }[]> = Promise.resolve([]);
    await maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "spans_lock", text: "lock table ingest.spans in exclusive mode" });
      admitted = Promise.all(Array.from({ length: 4 }, (_, index) => ingest.submit(projectId, { name: `a${index}` })));
      await until(async () => (await depth()) === 4);

      const trace = await ingest.submit(projectId, { name: "refused" });
      expect([trace.status, trace.headers.get("retry-after"), trace.json]).toEqual([
        429,
        "1",
        { error: "Ingest queue is full - retry with backoff (Retry-After: 1s)." },
      ]);
      const spans = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body: twoSpans });
      expect([spans.status, spans.headers.get("retry-after"), spans.json]).toEqual([
        429,
        "1",
        { message: "ingest queue full - 2 spans shed, retry with backoff" },
      ]);
    });
    expect((await admitted).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const page = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");
    expect(page.json.totalCount).toBe(4);
    const counted = await ingest.metrics.metrics();
    expect(counted).toMatch(/^service_ingest_spans_total 4$/m);
    expect(counted).toMatch(/^service_ingest_spans_stored_total 4$/m);
    expect(counted).toMatch(/^service_ingest_spans_rejected_total 3$/m);
    expect(counted).toMatch(/^service_ingest_spans_dropped_total 0$/m);
    expect(counted).toMatch(/^service_ingest_queue_depth 0$/m);
    expect(counted).toMatch(/^service_ingest_queue_max_depth 4$/m);
    await ingest.stop();
    await maintenance.close();
  });

  test("refuses the project that filled the queue, and admits another one", async () => {
    const ingest = await startIngest({ databaseUrl: database.url, config: { queueRowsMax: 4 } });
    await ingest.ready();
    const { maintenance } = openPools(database.url);
    const [busy, other] = [newProject(), newProject()];
    const send = (projectId: string, times: number) =>
      Array.from({ length: times }, () => ingest.submit(projectId, { name: "a" }));
    let admitted: Promise<{ status: number }>[] = [];
    await maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "spans_lock", text: "lock table ingest.spans in exclusive mode" });
      admitted = send(busy, 4);
      await until(async () => /^service_share_held\{[^}]*queue_rows[^}]*\} 4$/m.test(await ingest.metrics.metrics()));

      const refused = await Promise.all(send(busy, 20));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
      admitted.push(...send(other, 1));
      await until(async () => /^service_share_held\{[^}]*queue_rows[^}]*\} 5$/m.test(await ingest.metrics.metrics()));
    });

    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await ingest.metrics.metrics()).toMatch(
      /^service_share_refused_total\{service="ingest",resource="queue_rows",unit="project"\} 20$/m,
    );
    await ingest.stop();
    await maintenance.close();
  });

  test("loses nothing in a stop: admitted requests are committed and answered first", async () => {
    const ingest = await startIngest({ databaseUrl: database.url });
    await ingest.ready();
    const { maintenance } = openPools(database.url);
    const projectId = newProject();
    let submitted: Promise<{ status: number }> | undefined;
    let stopping: Promise<void> | undefined;
    await maintenance.transaction(async (transaction) => {
      await transaction.query({ name: "spans_lock", text: "lock table ingest.spans in exclusive mode" });
      submitted = ingest.submit(projectId, { name: "last" });
      await until(async () => /^service_ingest_queue_depth 1$/m.test(await ingest.metrics.metrics()));
      stopping = ingest.stop();
    });

    expect((await submitted)?.status).toBe(201);
    await stopping;
    await maintenance.close();
  });
});
