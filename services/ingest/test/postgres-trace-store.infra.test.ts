import { tracesSettled, tracesStored } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { createAgentStore } from "../src/agents/agent-store.ts";
import type { StoredSpan } from "../src/model/read-span.ts";
import type { SpanJob } from "../src/model/span-row.ts";
import { createGroupCommit } from "../src/recording/group-commit.ts";
import { asTheyAre, useIngestDatabase } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot, describeTraceStore } from "./trace-store-contract.ts";
import { describeSubtrees } from "./trace-store-subtrees.ts";
import { describeTrees } from "./trace-store-trees.ts";

const database = useIngestDatabase();

const sweep = () => database.sweep();

describe("the PostgreSQL store", () => {
  describeTraceStore(() => database.store);
  describeSubtrees(() => database.store);
  describeTrees(() => database.store, sweep);
});

describe("the PostgreSQL store without row-level security", () => {
  describeTraceStore(() => database.unguardedStore);
  describeSubtrees(() => database.unguardedStore);
  describeTrees(() => database.unguardedStore, sweep);
});

test("a trace that another replica began is gone on with, whichever of them takes it for new", async () => {
  const projectId = uuidv7(Date.now());
  const span = (spanId: string, parentSpanId: string | null) => ({
    producer: "otlp" as const,
    otelTraceId: "0af7651916cd43dd8448eb211c80319c",
    spanId,
    parentSpanId,
  });
  const child = { ...span("b7ad6b7169203331", "00f067aa0ba902b7"), kind: "llm" as const, model: "m", inputTokens: 5 };
  await database.store.insertBatch([await buildJob(projectId, [child])], 0);
  const root = { ...span("00f067aa0ba902b7", null), name: "root" };
  const outcomes = await database.unguardedStore.insertBatch([await buildJob(projectId, [root])], 0);

  expect(outcomes).toMatchObject([{ status: "fulfilled", value: [{ deduped: false }] }]);
  const { items: spans } = await database.store.listRoots(
    { projectId, limit: 10, before: null, ...anyRoot },
    asTheyAre,
  );
  expect(spans).toMatchObject([{ name: "root", model: "m", inputTokens: 5 }]);
  const [replay] = await database.unguardedStore.insertBatch([await buildJob(projectId, [child])], 0);
  expect(replay).toMatchObject({ value: [{ deduped: true }] });
});

describe("in one commit with the spans", () => {
  test("new roots are announced, and neither children nor replays are", { tags: ["spec:ingest.spanId"] }, async () => {
    const projectId = uuidv7(Date.now());
    await database.maintenance.query({ name: "outbox_clear", text: "delete from ingest.outbox" });
    const job = await buildJob(
      projectId,
      [
        { spanId: "a", name: 'roo"t', trafficSource: "eval-run" },
        { spanId: "b", parentSpanId: "a" },
      ],
      { monitor: true, patternIds: ["p1"] },
    );
    const [outcome] = await database.store.insertBatch([job], 0);
    await database.store.insertBatch([await buildJob(projectId, [{ spanId: "a" }])], 0);

    const { rows } = await database.maintenance.query<{ subject: string; body: string }>({
      name: "outbox_read",
      text: "select subject, body from ingest.outbox where subject <> $1",
      values: [tracesSettled.subject],
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.subject).toBe(tracesStored.subject);
    const [root] = outcome?.status === "fulfilled" ? outcome.value : [];
    expect(tracesStored.body.parse(JSON.parse(rows[0]?.body ?? ""))).toEqual({
      traces: [
        {
          projectId,
          traceId: root?.id,
          agentId: root?.agentId,
          name: 'roo"t',
          createdAt: new Date(job.rows[0]?.createdAtMs ?? 0).toISOString(),
          trafficSource: "eval-run",
          monitor: true,
          patternIds: ["p1"],
        },
      ],
    });
  });

  test("an event too large for the bus becomes several", async () => {
    const projectId = uuidv7(Date.now());
    await database.maintenance.query({ name: "outbox_clear", text: "delete from ingest.outbox" });
    const patternIds = Array.from({ length: 1_000 }, () => "p".repeat(300));
    const jobs = await Promise.all(Array.from({ length: 10 }, () => buildJob(projectId, [{}], { patternIds })));
    await database.store.insertBatch(jobs, 0);

    const { rows } = await database.maintenance.query<{ body: string }>({
      name: "outbox_bodies",
      text: "select body from ingest.outbox where subject = $1 order by id",
      values: [tracesStored.subject],
    });
    const traces = rows.map(({ body }) => tracesStored.body.parse(JSON.parse(body)).traces);
    expect(rows.length).toBeGreaterThan(1);
    expect(Math.max(...rows.map(({ body }) => body.length))).toBeLessThan(2 * 1024 * 1024);
    expect(traces.flat().map(({ traceId }) => traceId)).toEqual(jobs.map((job) => job.rows[0]?.id));
  });

  test("a name registers one agent, by whichever of many first traces it comes", async () => {
    const projectId = uuidv7(Date.now());
    const names = ["left", "right", "x".repeat(2_000)];
    const jobs = await Promise.all(names.flatMap((name) => [0, 1, 2].map(() => buildJob(projectId, [{ name }]))));
    await Promise.all(jobs.map((job, index) => database.store.insertBatch([job], index % 3)));

    const { rows } = await database.maintenance.query<{ id: string; name: string }>({
      name: "agents_of_project",
      text: "select id, name from ingest.agents where project_id = $1 order by name",
      values: [projectId],
    });
    expect(rows.map(({ name }) => name)).toEqual(names);
    expect(new Set(jobs.map((job) => job.rows[0]?.agentId))).toEqual(new Set(rows.map(({ id }) => id)));
  });

  test("neither a child nor a replay registers an agent", async () => {
    const projectId = uuidv7(Date.now());
    await database.store.insertBatch([await buildJob(projectId, [{ spanId: "1", name: "root" }])], 0);
    await database.store.insertBatch([await buildJob(projectId, [{ spanId: "1", name: "replay" }])], 0);
    await database.store.insertBatch([await buildJob(projectId, [{ parentSpanId: "1", name: "child" }])], 0);

    const { rows } = await database.maintenance.query<{ name: string }>({
      name: "agent_names",
      text: "select name from ingest.agents where project_id = $1",
      values: [projectId],
    });
    expect(rows.map(({ name }) => name)).toEqual(["root"]);
  });
});

test("a job whose data the store refuses does not fail its neighbours", async () => {
  const projectId = uuidv7(Date.now());
  const jobs = await Promise.all(Array.from({ length: 9 }, (_, index) => buildJob(projectId, [{ name: `n${index}` }])));
  const poisoned = { ...jobs[4], rows: [{ ...jobs[4]?.rows[0], name: "\0" }] } as SpanJob;
  const queue = createGroupCommit<SpanJob, StoredSpan[]>({
    write: database.store.insertBatch,
    sizeOf: (job) => ({ rows: job.rows.length, bytes: job.bytes }),
    tenantOf: () => ({ projectId, organizationId: null }),
    batchRowsMax: 256,
    rowsMax: 1_000,
    bytesMax: 1_000_000,
    sleep: async () => {},
  });
  const answers = await Promise.allSettled(jobs.with(4, poisoned).map((job) => queue.submit(job)));

  expect(answers.map(({ status }) => status)).toEqual(jobs.map((_, index) => (index === 4 ? "rejected" : "fulfilled")));
});

describe("writers that meet", () => {
  test("on the same spans in another order wait for each other and never block", async () => {
    const projectId = uuidv7(Date.now());
    for (let round = 0; round < 5; round += 1) {
      const spans = Array.from({ length: 900 }, (_, index) => ({
        spanId: `${round}-${index}`,
        name: `agent ${round} ${index % 7}`,
      }));
      const jobs = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((turn) => buildJob(projectId, turn % 2 === 0 ? spans : spans.toReversed())),
      );
      const outcomes = await Promise.all(jobs.map((job, index) => database.store.insertBatch([job], index % 3)));
      expect(outcomes.flat().every(({ status }) => status === "fulfilled")).toBe(true);
    }

    const query = { projectId, limit: 1, before: null, ...anyRoot };
    expect((await database.store.listRoots(query, asTheyAre)).totalCount).toBe(4_500);
  });

  test("on a missing partition make it once, each time", async () => {
    const projectId = uuidv7(Date.now());
    for (let week = 0; week < 20; week += 1) {
      const timestampMs = Date.parse("2022-06-01") + week * 7 * 24 * 60 * 60 * 1000;
      const jobs = await Promise.all(Array.from({ length: 6 }, () => buildJob(projectId, [{ timestampMs }])));
      const outcomes = await Promise.all(jobs.map((job, index) => database.store.insertBatch([job], index % 3)));
      expect(outcomes.flat().every(({ status }) => status === "fulfilled")).toBe(true);
    }
  });
});

test("an agent is its project's alone, also for a role that no policy binds", async () => {
  const [own, foreign] = [uuidv7(Date.now()), uuidv7(Date.now())];
  const [outcome] = await database.store.insertBatch([await buildJob(own, [{ name: "planner" }])], 0);
  const agentId = outcome?.status === "fulfilled" ? (outcome.value[0]?.agentId ?? "") : "";
  const agents = createAgentStore(database.maintenance);

  expect(await agents.findAgent(own, agentId)).toMatchObject({ id: agentId, name: "planner" });
  expect(await agents.findAgent(own, "planner")).toMatchObject({ id: agentId });
  expect([await agents.readAgent(foreign, agentId), await agents.findAgent(foreign, "planner")]).toEqual([null, null]);
});

describe("row-level security", () => {
  const tables = ["spans", "span_keys", "agents", "root_counts"];

  test.for(tables)("shows a project only its own rows of %s, also to a query that forgets to ask", async (table) => {
    const [own, foreign] = [uuidv7(Date.now()), uuidv7(Date.now())];
    await database.store.insertBatch([await buildJob(own, [{ spanId: "own" }])], 0);
    await database.store.insertBatch([await buildJob(foreign, [{ spanId: "foreign" }])], 0);

    const { rows } = await database.app.scoped([own], (transaction) =>
      transaction.query<{ project_id: string }>({
        name: `${table}_unfiltered`,
        text: `select distinct project_id from ingest.${table}`,
      }),
    );
    expect(rows).toEqual([{ project_id: own }]);
  });

  test.for(tables)("shows nothing of %s without a project", async (table) => {
    const read = { name: `${table}_unscoped`, text: `select 1 from ingest.${table}` };
    // A connection that served a project before, and one that did not.
    await database.app.scoped([uuidv7(Date.now())], (transaction) => transaction.query(read));
    expect((await database.app.query(read)).rows).toEqual([]);
  });

  test("refuses a row for a project that is not in the scope", async () => {
    const write = database.app.scoped([uuidv7(Date.now())], (transaction) =>
      transaction.query({
        name: "foreign_key_insert",
        text: "insert into ingest.span_keys (project_id, dk, id) values ($1, $1, $1)",
        values: [uuidv7(Date.now())],
      }),
    );
    await expect(write).rejects.toThrow("row-level security");
  });

  test("cannot be walked around through a partition", async () => {
    const { rows } = await database.maintenance.query<{ name: string }>({
      name: "partition_names",
      text: "select relid::regclass::text as name from pg_partition_tree('ingest.spans') where isleaf",
    });
    expect(rows.length).toBeGreaterThan(1);
    for (const { name } of rows) {
      await expect(database.app.query({ name: `direct_${name}`, text: `select 1 from ${name}` })).rejects.toThrow(
        "permission denied",
      );
    }
  });
});
