import type { SubmittedSpanUpdate } from "@touchstone/contracts";
import { openDatabase } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLogger } from "./ingest-database.ts";
import { buildExport } from "./otlp/build-export.ts";
import { useIngest } from "./running-ingest.ts";
import { child, newTraceId, root, spanUpdateClient } from "./span-update-client.ts";

const { database, ingest } = useIngest();

const { send, list, detail } = spanUpdateClient(() => ingest);

test("a span whose updates state no start is stored in the week of its first update", async () => {
  const projectId = uuidv7(Date.now());
  const time = "2021-03-04T05:06:07.000Z";
  expect((await send(projectId, [{ traceId: newTraceId(), spanId: root, time, name: "late" }])).status).toBe(201);
  expect((await list(projectId)).traces).toMatchObject([{ name: "late", createdAt: time }]);
});

test("a search lists a trace once whose spans are updated together", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = newTraceId();
  const updates = [root, child].map((spanId) => ({
    ...{ traceId, spanId, name: spanId === root ? "answer" : "model" },
    ...(spanId === child && { parentSpanId: root }),
  }));
  await send(projectId, updates);
  const outputs = updates.map((update) => ({ ...update, attributes: { "langfuse.observation.output": "zebra" } }));
  expect((await send(projectId, outputs)).status).toBe(201);

  expect(await list(projectId, "&search=zebra")).toMatchObject({ totalCount: 1, traces: [{ name: "answer" }] });
});

test("a span runs until an update states its end, and shows the last value of each attribute", async () => {
  const projectId = uuidv7(Date.now());
  const span = { traceId: newTraceId(), spanId: root };
  const begun = await send(projectId, [
    {
      ...span,
      type: "create",
      time: "2026-11-20T10:00:00.000Z",
      name: "answer",
      startTime: "2026-11-20T10:00:00.000Z",
      attributes: {
        "session.id": "s-1",
        "langfuse.observation.input": "Weather in Paris?",
        "langfuse.trace.metadata.a": "1",
      },
    },
  ]);
  expect(begun.status).toBe(201);
  const [{ _id: id }] = begun.json.updates;
  const running = await detail(projectId, id);
  expect(running).toMatchObject({ name: "answer", input: "Weather in Paris?", sessionId: "s-1" });
  expect(running.latencyMs ?? null).toBeNull();
  expect(running.output ?? null).toBeNull();

  const ended = await send(projectId, [
    {
      ...span,
      time: "2026-11-20T10:00:02.500Z",
      endTime: "2026-11-20T10:00:02.500Z",
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.output": "Sunny",
        "langfuse.observation.model.name": "gpt-4o-mini",
        "langfuse.observation.usage_details": '{"input":12,"output":5,"cache_read_input_tokens":4}',
        "langfuse.trace.metadata.b": "2",
      },
    },
  ]);
  expect(ended.json).toEqual({ updates: [{ _id: id, deduped: false }] });
  expect(await detail(projectId, id)).toMatchObject({
    _id: id,
    name: "answer",
    latencyMs: 2500,
    input: "Weather in Paris?",
    output: "Sunny",
    model: "gpt-4o-mini",
    inputTokens: 16,
    outputTokens: 5,
    sessionId: "s-1",
    metadata: { a: "1", b: "2" },
  });
  expect((await list(projectId)).totalCount).toBe(1);
});

test("an update that is sent again changes nothing", async () => {
  const projectId = uuidv7(Date.now());
  const update = { traceId: newTraceId(), spanId: root, id: "event 1", name: "answer" };

  const [first, second] = [await send(projectId, [update]), await send(projectId, [{ ...update, name: "other" }])];

  expect(second.json.updates).toEqual([{ ...first.json.updates[0], deduped: true }]);
  expect((await detail(projectId, first.json.updates[0]._id)).name).toBe("answer");
});

test("updates show the same in whatever order, cut and repetition they are sent", async () => {
  const sent = (traceId: string): Partial<SubmittedSpanUpdate>[] => {
    const at = (ms: number): string => new Date(Date.UTC(2026, 10, 20, 10) + ms).toISOString();
    const ofRoot = { traceId, spanId: root };
    const ofChild = { traceId, spanId: child };
    return [
      { ...ofRoot, id: "1", type: "create", time: at(0), startTime: at(0), name: "agent", scope: "langfuse-sdk" },
      { ...ofRoot, id: "2", type: "update", time: at(9), endTime: at(9), attributes: { "langfuse.trace.tags": ["t"] } },
      { ...ofRoot, id: "3", type: "create", time: at(5), name: "agent b", attributes: { "user.id": "u" } },
      // Two of the same time: the id decides.
      { ...ofChild, id: "4", time: at(3), parentSpanId: root, attributes: { "langfuse.observation.output": "one" } },
      { ...ofChild, id: "5", time: at(3), attributes: { "langfuse.observation.output": "two", "session.id": "s" } },
      // An update may have an earlier time than what created its span.
      {
        ...ofChild,
        id: "6",
        time: at(1),
        endTime: at(6),
        error: "failed",
        attributes: { "langfuse.observation.model.name": "m" },
      },
      { ...ofRoot, widens: true, time: at(1), startTime: at(-2), endTime: at(4) },
      { ...ofRoot, widens: true, time: at(4), startTime: at(4), endTime: at(12) },
      // What created a span counts before its updates, even with a later time.
      {
        ...ofChild,
        id: "7",
        type: "create",
        time: at(8),
        startTime: at(2),
        name: "call",
        attributes: { "langfuse.observation.output": "created" },
      },
    ];
  };
  const shown = async (projectId: string): Promise<unknown> => {
    const { traces, totalCount } = await list(projectId);
    const ids = traces.map((trace: { _id: string }) => trace._id);
    const details = await Promise.all(ids.map((id: string) => detail(projectId, id)));
    const [{ sessionId }] = traces;
    const spans = (await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${sessionId}/spans`)).json.spans;
    return plain({ totalCount, traces, details, spans });
  };
  const traceId = newTraceId();
  const reference = uuidv7(Date.now());
  await send(reference, sent(traceId));
  const expected = await shown(reference);
  expect(JSON.stringify(expected)).toMatch(/"output":"(one|two)"/);

  const all = sent(traceId);
  const orders = fc
    .array(fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 4 }), { maxLength: 4 })
    .chain((some) =>
      fc.shuffledSubarray(all, { minLength: all.length }).map((rest) => [...some, rest.slice(0, 3), rest.slice(3)]),
    );
  await fc.assert(
    fc.asyncProperty(orders, async (requests) => {
      const projectId = uuidv7(Date.now());
      for (const updates of requests) expect((await send(projectId, updates)).status).toBe(201);
      expect(await shown(projectId)).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

/** Without ids, and the times of receipt, which differ by project. */
function plain(value: unknown): unknown {
  const hidden = new Set(["_id", "createdAt", "agentId", "reference_agent_id", "timestamp"]);
  return JSON.parse(JSON.stringify(value, (key, member) => (hidden.has(key) ? undefined : member)));
}

test("a span that gets its parent later is no root any more, and search finds what it says now", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = newTraceId();
  await send(projectId, [
    { traceId, spanId: child, name: "call", attributes: { "langfuse.observation.input": "zebra" } },
  ]);
  expect(await list(projectId, "&search=zebra")).toMatchObject({ totalCount: 1 });

  await send(projectId, [{ traceId, spanId: child, attributes: { "langfuse.observation.input": "giraffe" } }]);
  expect(await list(projectId, "&search=zebra")).toMatchObject({ totalCount: 0 });
  expect(await list(projectId, "&search=giraffe")).toMatchObject({ totalCount: 1 });

  await send(projectId, [
    { traceId, spanId: child, parentSpanId: root },
    { traceId, spanId: root, name: "agent", attributes: { "langfuse.trace.input": "okapi" } },
  ]);
  expect(await list(projectId)).toMatchObject({ totalCount: 1, traces: [{ name: "agent" }] });
  expect(await list(projectId, "&search=giraffe")).toMatchObject({ totalCount: 0 });
});

test("a span that widens reaches from its earliest start to its latest end", async () => {
  const projectId = uuidv7(Date.now());
  const span = { traceId: newTraceId(), spanId: root, widens: true };
  const at = (ms: number): string => new Date(Date.UTC(2026, 10, 20, 10) + ms).toISOString();

  const { json } = await send(projectId, [
    { ...span, time: at(0), startTime: at(100), endTime: at(900) },
    { ...span, time: at(1), startTime: at(200), endTime: at(300) },
  ]);

  expect((await detail(projectId, json.updates[0]._id)).latencyMs).toBe(800);
});

test("a span that was exported whole takes no updates, and its answer says so", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = newTraceId();
  const headers = { "content-type": "application/json" };
  const body = buildExport({ root: true, name: "whole", more: { traceId, spanId: root } });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body, headers })).status).toBe(200);

  const { status, json } = await send(projectId, [
    { traceId, spanId: root, name: "changed" },
    { traceId, spanId: child, parentSpanId: root, name: "call" },
  ]);

  expect(status).toBe(201);
  expect(json.updates).toEqual([
    { _id: null, deduped: false, error: "The span was exported whole, so it takes no updates." },
    { _id: expect.any(String), deduped: false },
  ]);
  expect((await list(projectId)).traces).toMatchObject([{ name: "whole" }]);
});

test("a trace too large to be read with each update shows them after a moment", async () => {
  const projectId = uuidv7(Date.now());
  const traceId = newTraceId();
  const spanIdOf = (index: number): string => (index + 1).toString(16).padStart(16, "0");
  const spans = Array.from({ length: 2100 }, (_, index) => ({
    traceId,
    spanId: spanIdOf(index),
    ...(index > 0 && { parentSpanId: spanIdOf(0) }),
    name: `span ${index}`,
  }));
  for (let start = 0; start < spans.length; start += 700) await send(projectId, spans.slice(start, start + 700));
  const { json } = await send(projectId, [{ traceId, spanId: spanIdOf(0), name: "renamed" }]);

  await expect.poll(() => detail(projectId, json.updates[0]._id)).toMatchObject({ name: "renamed" });
});

test("the updates of a trace are removed with it", async ({ onTestFinished }) => {
  const projectId = uuidv7(Date.now());
  const { json } = await send(projectId, [{ traceId: newTraceId(), spanId: root, name: "secret" }]);
  const superuser = openDatabase({
    url: database.adminUrl,
    role: new URL(database.adminUrl).username,
    applicationName: "span updates test",
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    logger: silentLogger,
  });
  onTestFinished(() => superuser.close());
  const text = "select count(*)::integer as updates from ingest.span_updates where project_id = $1";
  const stored = async () => (await superuser.query({ name: "updates", text, values: [projectId] })).rows;
  expect(await stored()).toEqual([{ updates: 1 }]);

  await ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${json.updates[0]._id}`);

  expect(await stored()).toEqual([{ updates: 0 }]);
});

describe("a mistake is named by its place, and nothing is stored", () => {
  const good = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: root };
  test.each<[string, unknown, string]>([
    ["no list", { updates: "x" }, "updates must be a list of 1 to 1000 span updates"],
    ["an empty list", { updates: [] }, "updates must be a list of 1 to 1000 span updates"],
    [
      "a trace id with dashes",
      { updates: [good, { ...good, traceId: "4bf92f35-77b3-4da6-a3ce-929d0e0e4736" }] },
      "updates[1].traceId: must be 32 lowercase hexadecimal digits",
    ],
    [
      "a bad time",
      { updates: [{ ...good, startTime: "yesterday" }] },
      "updates[0].startTime: must be an ISO 8601 time after 1970",
    ],
    [
      "a far future",
      { updates: [{ ...good, startTime: "2126-01-01T00:00:00Z" }] },
      "updates[0].startTime: is more than 24 hours ahead",
    ],
  ])("%s", async (_, body, message) => {
    const projectId = uuidv7(Date.now());
    const headers = { "content-type": "application/json" };
    const reply = await ingest.call(projectId, "POST", "/api/v1/ingest/span-updates", {
      body: JSON.stringify(body),
      headers,
    });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.json)).toContain(message);
    expect((await list(projectId)).totalCount).toBe(0);
  });
});
