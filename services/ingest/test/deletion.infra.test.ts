import { randomBytes } from "node:crypto";
import { limits } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { removeUnnamedMedia } from "../src/media/unnamed-media-store.ts";
import { type Reply, useIngest } from "./running-ingest.ts";

const { ingest, pools } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const remove = (projectId: string, path: string): Promise<Reply> =>
  ingest.call(projectId, "DELETE", `/api/v1/ingest/traces${path}`);

async function submit(projectId: string, trace: Record<string, unknown>): Promise<string> {
  const { status, json } = await ingest.submit(projectId, trace);
  expect(status).toBe(201);
  return json.traceId;
}

async function sendSpans(projectId: string, spans: readonly Record<string, unknown>[]): Promise<void> {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const { status } = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body });
  expect(status).toBe(200);
}

async function listNames(projectId: string): Promise<string[]> {
  const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=100");
  expect(json.totalCount).toBe(json.traces.length);
  return json.traces.map(({ name }: { name: string }) => name).toSorted();
}

/** Rows of a project in every table that a span leaves something in. */
async function countRows(projectId: string): Promise<Record<string, number>> {
  const tables = ["spans", "span_keys", "traces", "awaited_parents", "log_fragments", "search_docs"];
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pools.maintenance.query<{ n: number }>({
        name: `${table}_of_project`,
        text: `select count(*)::integer as n from ingest.${table} where project_id = $1`,
        values: [projectId],
      });
      return [table, rows[0]?.n ?? -1] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

describe("DELETE /ingest/traces/{traceId}", () => {
  test("removes a REST trace with its descendants and nothing else", async () => {
    const projectId = newProject();
    const root = await submit(projectId, { name: "root", spanId: "root", sessionId: "s" });
    await submit(projectId, { name: "child", spanId: "child", parentSpanId: "root" });
    await submit(projectId, { name: "grandchild", spanId: "grandchild", parentSpanId: "child", sessionId: "other" });
    await submit(projectId, { name: "kept", spanId: "kept", sessionId: "s" });
    await submit(projectId, { name: "kept child", parentSpanId: "kept" });

    const removed = await remove(projectId, `/${root}`);
    expect([removed.status, removed.json]).toEqual([200, { deletedTraces: 1, deletedSpans: 3, complete: true }]);
    expect(await listNames(projectId)).toEqual(["kept"]);
    const { awaited_parents: _mayWait, ...rows } = await countRows(projectId);
    expect(rows).toEqual({ spans: 2, span_keys: 1, search_docs: 1 });
    expect((await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${root}`)).status).toBe(404);
  });

  test("removes an OTel trace with all its spans, whichever is named", async () => {
    const projectId = newProject();
    const [gone, kept] = ["a".repeat(32), "b".repeat(32)];
    await sendSpans(projectId, [
      { traceId: gone, spanId: "1".repeat(16), name: "root" },
      { traceId: gone, spanId: "2".repeat(16), parentSpanId: "1".repeat(16), name: "child" },
      { traceId: kept, spanId: "1".repeat(16), name: "kept" },
    ]);
    const { json } = await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${gone}/spans`);
    const child = json.spans.find(({ name }: { name: string }) => name === "child");

    expect((await remove(projectId, `/${child._id}`)).json).toEqual({
      deletedTraces: 1,
      deletedSpans: 2,
      complete: true,
    });
    expect(await listNames(projectId)).toEqual(["kept"]);
    expect(await countRows(projectId)).toMatchObject({ spans: 1, span_keys: 1, search_docs: 1, traces: 1 });
  });

  test("removes a trace of more spans than one transaction takes", async () => {
    const projectId = newProject();
    const traceId = "c".repeat(32);
    const root = "f".repeat(16);
    const spans = Array.from({ length: 4_500 }, (_, index) => ({
      traceId,
      spanId: (index + 1).toString(16).padStart(16, "0"),
      parentSpanId: root,
      name: `n${index}`,
    }));
    await sendSpans(projectId, [{ traceId, spanId: root, name: "root" }, ...spans]);
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces");

    expect((await remove(projectId, `/${json.traces[0]._id}`)).json).toEqual({
      deletedTraces: 1,
      deletedSpans: 4_501,
      complete: true,
    });
    expect(await countRows(projectId)).toEqual({});
  });

  test("allows the same span to be stored again, and leaves its agent", async () => {
    const projectId = newProject();
    const first = await ingest.submit(projectId, { name: "planner", spanId: "s" });
    await remove(projectId, `/${first.json.traceId}`);
    const again = await ingest.submit(projectId, { name: "planner", spanId: "s" });

    expect([again.status, again.json.deduped, again.json.reference_agent_id]).toEqual([
      201,
      false,
      first.json.reference_agent_id,
    ]);
    expect(again.json.traceId).not.toBe(first.json.traceId);
    expect(await listNames(projectId)).toEqual(["planner"]);
  });

  test("answers 404 for a missing, malformed or foreign id, and removes nothing", async () => {
    const [own, foreign] = [newProject(), newProject()];
    const trace = await submit(own, { name: "kept" });
    for (const id of [trace, uuidv7(Date.now()), "nonsense"]) {
      const reply = await remove(foreign, `/${id}`);
      expect([reply.status, reply.json]).toEqual([404, { error: "Trace not found" }]);
    }
    expect(await listNames(own)).toEqual(["kept"]);
  });

  test("of many at once removes each once", async () => {
    const projectId = newProject();
    const id = await submit(projectId, { name: "gone", spanId: "gone" });
    await submit(projectId, { name: "kept" });
    const replies = await Promise.all(Array.from({ length: 8 }, () => remove(projectId, `/${id}`)));
    const counts = replies.filter(({ status }) => status === 200).map(({ json }) => json.deletedTraces);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await listNames(projectId)).toEqual(["kept"]);
  });
});

describe("DELETE /ingest/traces", () => {
  test("removes the traces whose root matches every filter", async () => {
    const projectId = newProject();
    const a = await ingest.submit(projectId, { name: "a", framework: "LangGraph", model: "m1", sessionId: "s1" });
    await submit(projectId, { name: "b", framework: "langgraph", model: "m2", timestamp: "2026-01-05T00:00:00Z" });
    await submit(projectId, { name: "c", source: "eval-run", timestamp: "2026-01-06T00:00:00Z" });
    await submit(projectId, { name: "d", spanId: "d", timestamp: "2026-01-07T00:00:00Z" });
    await submit(projectId, { name: "child", parentSpanId: "d" });
    await submit(projectId, { name: "e", sessionId: "s1" });

    const removed = async (query: string) => {
      const { json } = await remove(projectId, query);
      return [json.deletedTraces, json.deletedSpans, json.complete, (await listNames(projectId)).join("")];
    };
    expect(await removed("?framework=%20LANGGRAPH&model=m2")).toEqual([1, 1, true, "acde"]);
    expect(await removed("?framework=langgraph&model=m2")).toEqual([0, 0, true, "acde"]);
    expect(await removed("?source=eval")).toEqual([1, 1, true, "ade"]);
    expect(await removed("?from=2026-01-07T00:00:00Z&to=2026-01-07T00:00:00.001Z")).toEqual([1, 2, true, "ae"]);
    expect(await removed(`?agentId=${a.json.reference_agent_id}`)).toEqual([1, 1, true, "e"]);
    expect(await removed("?sessionId=s1&source=production")).toEqual([1, 1, true, ""]);
    expect(await countRows(projectId)).toEqual({});
  });

  test("knows an OTel trace without a session by its own id, and takes every root of it", async () => {
    const projectId = newProject();
    const traceId = "d".repeat(32);
    await sendSpans(projectId, [
      { traceId, spanId: "1".repeat(16), name: "one" },
      { traceId, spanId: "2".repeat(16), name: "two" },
      { traceId: "e".repeat(32), spanId: "1".repeat(16), name: "kept" },
    ]);
    expect((await remove(projectId, `?sessionId=${traceId}`)).json.deletedSpans).toBe(2);
    expect(await listNames(projectId)).toEqual(["kept"]);
  });

  test("reaches only the key's own project", async () => {
    const [own, foreign] = [newProject(), newProject()];
    await submit(own, { name: "kept", model: "m" });
    expect((await remove(foreign, "?model=m")).json).toEqual({ deletedTraces: 0, deletedSpans: 0, complete: true });
    expect(await listNames(own)).toEqual(["kept"]);
  });

  test.for([
    "",
    "?",
    "?agentid=x",
    "?agentId=x",
    "?model=",
    "?model=a&model=b",
    "?source=all",
    "?from=yesterday",
    "?model=a&limit=5",
  ])("refuses %j, which might mean more than was asked for", async (query) => {
    const projectId = newProject();
    await submit(projectId, { name: "kept", model: "a" });
    const reply = await remove(projectId, query);
    expect([reply.status, typeof reply.json.error]).toEqual([400, "string"]);
    expect(await listNames(projectId)).toEqual(["kept"]);
  });

  test("beside writers and other deletions keeps totals exact", async () => {
    const projectId = newProject();
    const writer = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1)
        await submit(projectId, { name: `${name}${turn}`, model: `m${turn % 3}` });
    };
    const deleter = async (): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1) await remove(projectId, `?model=m${turn % 2}`);
    };
    await Promise.all([writer("a"), writer("b"), writer("c"), deleter(), deleter()]);
    const { json } = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=100");
    const { spans } = await countRows(projectId);
    expect([json.totalCount, json.traces.length]).toEqual([spans, spans]);
    expect(json.totalCount).toBeGreaterThanOrEqual(12);
  });
});

test("media of a deleted trace that were just announced without a trace stay for a day", async () => {
  const projectId = newProject();
  const traceId = await submit(projectId, { name: "agent" });
  const medium = { contentType: "image/png", contentLength: 1, sha256: randomBytes(32).toString("base64") };
  const announce = (more: object): Promise<Reply> =>
    ingest.call(projectId, "POST", "/api/v1/media", { body: JSON.stringify({ ...medium, ...more }) });
  await announce({});
  const { json } = await announce({ traceId });
  const read = async (): Promise<number> => (await ingest.call(projectId, "GET", `/api/v1/media/${json.id}`)).status;

  await remove(projectId, `/${traceId}`);
  expect(await read()).toBe(200);
  await removeUnnamedMedia(pools.maintenance, new Date(Date.now() + limits.mediaUnnamedMs + 1_000), () => true);
  expect(await read()).toBe(404);
});
