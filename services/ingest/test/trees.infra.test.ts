import { tracesStored } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { assemblySettings } from "../src/assembly/assembly-settings.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { createTraceSweep } from "../src/settling/sweep-traces.ts";
import { asTheyAre, silentLogger, useIngestDatabase } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

const database = useIngestDatabase();

const otlp = { producer: "otlp" as const, otelTraceId: "a".repeat(32) };
const orphan = { ...otlp, spanId: "2".repeat(16), parentSpanId: "1".repeat(16), name: "orphan" };
const parent = { ...otlp, spanId: "1".repeat(16), name: "parent" };

async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<string[]> {
  const [outcome] = await database.store.insertBatch([await buildJob(projectId, spans)], 0);
  if (outcome?.status !== "fulfilled") throw outcome?.reason;
  return outcome.value.map(({ id }) => id);
}

async function rootNames(projectId: string): Promise<string[]> {
  const { items: spans, totalCount } = await database.store.listRoots(
    { projectId, limit: 100, before: null, ...anyRoot },
    asTheyAre,
  );
  expect(spans).toHaveLength(totalCount);
  return spans.map(({ name }) => name).sort();
}

async function read(name: string, projectId: string, text: string): Promise<Record<string, unknown>[]> {
  return (await database.maintenance.query({ name, text, values: [projectId] })).rows;
}

const usage = (projectId: string) =>
  read("usage_of_project", projectId, "select sum(n)::integer as n from ingest.trace_usage where project_id = $1");

const agentNames = async (projectId: string) =>
  (await read("agents_of", projectId, "select name from ingest.agents where project_id = $1 order by name")).map(
    ({ name }) => name,
  );

const documents = async (projectId: string) =>
  (await read("docs_of", projectId, "select doc from ingest.search_docs where project_id = $1")).map(({ doc }) => doc);

async function announced(projectId: string): Promise<string[]> {
  const { rows } = await database.maintenance.query<{ body: string }>({
    name: "outbox_all",
    text: "select body from ingest.outbox where subject = $1 order by id",
    values: [tracesStored.subject],
  });
  const traces = rows.flatMap(({ body }) => tracesStored.body.parse(JSON.parse(body)).traces);
  return traces.filter((trace) => trace.projectId === projectId).map(({ traceId }) => traceId);
}

describe("a promotion", () => {
  test.each([
    ["of an OTel span", orphan],
    ["of a REST span", { spanId: "c", parentSpanId: "p", name: "orphan" }],
  ])("%s is announced, counted as use, searched for and given an agent", async (_of, span) => {
    const projectId = uuidv7(Date.now());
    const [id] = await insert(projectId, span);
    expect([await announced(projectId), await agentNames(projectId), await documents(projectId)]).toEqual([[], [], []]);
    await database.sweep();

    expect(await announced(projectId)).toEqual([id]);
    expect(await usage(projectId)).toEqual([{ n: 1 }]);
    expect(await agentNames(projectId)).toEqual(["orphan"]);
    expect(await documents(projectId)).toEqual([expect.stringContaining("orphan")]);
    expect(await rootNames(projectId)).toEqual(["orphan"]);
  });

  test("does not happen before its time, nor twice", async () => {
    const projectId = uuidv7(Date.now());
    const patient = { ...assemblySettings, orphanGraceMs: 3_600_000 };
    await insert(projectId, orphan);
    await read(
      "put_off",
      projectId,
      "update ingest.traces set due_at = now() + interval '1 hour' where project_id = $1",
    );
    await createTraceSweep({
      maintenance: database.maintenance,
      tracesPerDay: null,
      settings: patient,
      logger: silentLogger,
    })();
    expect(await rootNames(projectId)).toEqual([]);
    await read("due_now", projectId, "update ingest.traces set due_at = now() where project_id = $1");
    await Promise.all([database.sweep(), database.sweep()]);
    expect(await rootNames(projectId)).toEqual(["orphan"]);
    expect(await usage(projectId)).toEqual([{ n: 1 }]);
  });

  test("over quota waits until tomorrow", async () => {
    const projectId = uuidv7(Date.now());
    await insert(projectId, { name: "first" }, orphan, { spanId: "c", parentSpanId: "p", name: "rest" });
    const settings = { ...assemblySettings, orphanGraceMs: 0 };
    const sweep = createTraceSweep({
      maintenance: database.maintenance,
      tracesPerDay: 1,
      settings,
      logger: silentLogger,
    });
    expect(await sweep()).toBe(2);
    expect(await sweep()).toBe(0);
    expect(await rootNames(projectId)).toEqual(["first"]);
    expect(await usage(projectId)).toEqual([{ n: 1 }]);
  });
});

describe("a parent that comes after the promotion", () => {
  test.each([
    ["on OTLP", orphan, parent],
    ["on REST", { spanId: "c", parentSpanId: "p", name: "orphan" }, { spanId: "p", name: "parent" }],
  ])("%s takes the child's count, text and agent back", async (_on, child, late) => {
    const projectId = uuidv7(Date.now());
    await insert(projectId, child);
    await database.sweep();
    await insert(projectId, late);
    await database.sweep();

    expect(await rootNames(projectId)).toEqual(["parent"]);
    expect(await documents(projectId)).toEqual([expect.stringContaining("parent")]);
    expect(await agentNames(projectId)).toEqual(["parent"]);
    const counts = await read(
      "counts",
      projectId,
      "select sum(n)::integer as n from ingest.root_counts where project_id = $1",
    );
    expect(counts).toEqual([{ n: 1 }]);
  });
});

describe("an agent", () => {
  test("that a root gives up for the one its trace names is removed, unless another root has it", async () => {
    const projectId = uuidv7(Date.now());
    const root = { ...parent, name: "GET /chat", tree: {} };
    const agent = { ...orphan, kind: "agent" as const, tree: { agent: "planner" } };
    await insert(projectId, root);
    await insert(projectId, { ...root, otelTraceId: "b".repeat(32) });
    expect(await agentNames(projectId)).toEqual(["GET /chat"]);

    await insert(projectId, agent);
    await database.sweep();
    expect(await agentNames(projectId)).toEqual(["GET /chat", "planner"]);
    await insert(projectId, { ...agent, otelTraceId: "b".repeat(32) });
    await database.sweep();
    expect(await agentNames(projectId)).toEqual(["planner"]);
  });

  test("that no trace registered stays, whichever trace stops using it", async () => {
    const projectId = uuidv7(Date.now());
    await insert(projectId, { ...parent, name: "made", tree: {} });
    await read(
      "agent_made",
      projectId,
      "update ingest.agents set id = '0190a000-0000-7000-8000-000000000001' where project_id = $1",
    );
    await read(
      "agent_used",
      projectId,
      "update ingest.spans set agent_id = '0190a000-0000-7000-8000-000000000001' where project_id = $1",
    );
    await insert(projectId, { ...orphan, kind: "agent", tree: { agent: "planner" } });
    await database.sweep();
    expect(await agentNames(projectId)).toEqual(["made", "planner"]);
  });
});

test("search finds a root by its borrowed and current contents, not by its earlier ones", async () => {
  const projectId = uuidv7(Date.now());
  await insert(projectId, { ...parent, sessionId: null });
  const model = { ...orphan, kind: "llm" as const, model: "m-1", input: '"Quelle heure?"', output: '"Midi"' };
  await insert(projectId, { ...model, sessionId: "chat-9" });

  const [doc, ...more] = await documents(projectId);
  expect(more).toEqual([]);
  for (const word of ["quelle heure", "midi", "m-1", "chat-9", "parent"]) expect(doc).toContain(word);
});

test("the spans of a root show its agent, its session and what its trace shares", async () => {
  const projectId = uuidv7(Date.now());
  const [child, root] = await insert(projectId, orphan, {
    ...parent,
    sessionId: "s",
    tree: { userId: "u", environment: "prod" },
  });
  const shownRoot = await database.store.readTrace(projectId, root ?? "");
  const shownChild = await database.store.readTrace(projectId, child ?? "");
  expect(shownChild).toMatchObject({ agentId: shownRoot?.agentId, sessionId: "s" });
  expect(shownChild?.derived).toEqual({ userId: "u", environment: "prod" });
});

test("a trace of thousands of spans and hundreds of thousands of log records shows what the last of them says", async () => {
  const projectId = uuidv7(Date.now());
  const spanIdOf = (index: number): string => index.toString(16).padStart(16, "0");
  const spans = Array.from({ length: 5_000 }, (_, index) => ({
    ...otlp,
    spanId: spanIdOf(index + 1),
    parentSpanId: index === 0 ? null : spanIdOf(1),
    name: `span ${index}`,
    kind: "llm" as const,
  }));
  const ids = await insert(projectId, ...spans);
  await database.superuser.query({
    name: "many_records",
    text: `
      insert into ingest.log_fragments (project_id, dk, trace_key, span_id, time_nano, facts, body)
      select $1, gen_random_uuid(), $2, $3, number,
        case number when 200000 then '{"kind":"test","model":"logged"}' else '{"kind":"test"}' end, '{}'
      from generate_series(1, 200000) as number`,
    values: [projectId, otlp.otelTraceId, spanIdOf(5_000)],
  });
  // As for any trace with more than are read each time.
  await insert(projectId, { ...otlp, spanId: spanIdOf(5_001), parentSpanId: spanIdOf(1), name: "one more" });

  while ((await database.sweep()) > 0);

  const { rows } = await database.superuser.query<{ model: string | null; derived: string | null }>({
    name: "last_span",
    text: "select model, derived from ingest.spans where project_id = $1 and id = any($2)",
    values: [projectId, [ids.at(-1)]],
  });
  expect(rows).toMatchObject([{ model: "logged" }]);
  expect(await rootNames(projectId)).toEqual(["span 0"]);
}, 60_000);
