import { limits } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { hashUuid } from "../src/model/ids.ts";
import type { SpanJob } from "../src/model/span-row.ts";
import { openIngestDatabase } from "./ingest-database.ts";
import { useIngest } from "./running-ingest.ts";
import { child, newTraceId, root, spanUpdateClient } from "./span-update-client.ts";

const { ingest } = useIngest();

const { send, list, detail } = spanUpdateClient(() => ingest);

test("a span is widened as often as its trace has requests, and takes other updates before and after", async () => {
  const projectId = uuidv7(Date.now());
  const span = { traceId: newTraceId(), spanId: root };
  const at = (ms: number): string => new Date(Date.UTC(2026, 10, 20, 10) + ms).toISOString();
  const reaches = Array.from({ length: 1_500 }, (_, index) => {
    return { ...span, widens: true, time: at(index), startTime: at(index), endTime: at(index + 1) };
  });
  await send(projectId, [{ ...span, type: "create", id: "first", time: at(0), startTime: at(5), name: "agent" }]);
  for (let start = 0; start < reaches.length; start += 100) {
    const { json } = await send(projectId, reaches.slice(start, start + 100));
    expect(json.updates.filter(({ error }: { error?: string }) => error !== undefined)).toEqual([]);
  }
  const attributes = { "langfuse.trace.output": "done" };
  const { json } = await send(projectId, [{ ...span, id: "last", time: at(2_000), attributes }, reaches[3] ?? {}]);

  expect(json.updates).toMatchObject([{ deduped: false }, { deduped: true }]);
  expect(await detail(projectId, json.updates[0]._id)).toMatchObject({
    name: "agent",
    output: "done",
    startedAt: at(0),
    latencyMs: 1_500,
  });
});

test("a span has at most a thousand updates", async () => {
  const projectId = uuidv7(Date.now());
  const span = { traceId: newTraceId(), spanId: root };
  const many = Array.from({ length: 1000 }, (_, index) => ({ ...span, attributes: { index } }));
  expect((await send(projectId, many)).json.updates.filter((one: { error?: string }) => one.error)).toEqual([]);

  const { json } = await send(projectId, [{ ...span, attributes: { index: 1000 } }, many[3] ?? {}]);

  expect(json.updates).toMatchObject([
    { _id: null, error: "The span has as many updates as it can have." },
    { deduped: true },
  ]);
});

describe("an update with too much to read each time is refused alone", () => {
  const attributes = (count: number, from = 0): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${from + index}`, 1]));
  const { spanUpdateAttributesMax: attributesMax, spanUpdateValuesMax: valuesMax } = limits;

  test.each([
    ["attributes", attributes(attributesMax + 1), `more than ${attributesMax} attributes`],
    ["values", { a: [{ b: Array(valuesMax).fill(1) }] }, `more than ${valuesMax} values`],
  ])("for its many %s", async (_what, many, problem) => {
    const projectId = uuidv7(Date.now());
    const traceId = newTraceId();

    const { status, json } = await send(projectId, [
      { traceId, spanId: root, name: "agent" },
      { traceId, spanId: root, name: "changed", attributes: many },
      { traceId, spanId: child, parentSpanId: root, name: "call" },
    ]);

    expect(status).toBe(201);
    expect(json.updates).toEqual([
      { _id: expect.any(String), deduped: false },
      { _id: null, deduped: false, error: `The update has ${problem}.` },
      { _id: expect.any(String), deduped: false },
    ]);
    expect((await list(projectId)).traces).toMatchObject([{ name: "agent" }]);
    const alone = await send(projectId, [{ traceId, spanId: root, attributes: many }]);
    expect(alone.json.updates).toMatchObject([{ _id: null, deduped: false }]);
  });

  test("for the attributes that its span has already, in one request or several", async () => {
    const projectId = uuidv7(Date.now());
    const span = { traceId: newTraceId(), spanId: root };
    const half = { ...span, id: "half", attributes: attributes(attributesMax / 2) };
    const rest = { ...span, id: "rest", attributes: attributes(attributesMax / 2 - 1, attributesMax) };

    const first = await send(projectId, [
      half,
      { ...half, id: "same" },
      { ...span, id: "last", attributes: { last: 1 } },
    ]);
    const second = await send(projectId, [
      half,
      { ...span, id: "last", attributes: { last: 1 } },
      { ...span, traceId: newTraceId(), attributes: { other: 1 } },
    ]);
    const third = await send(projectId, [{ ...rest, name: "changed" }]);

    const full = { _id: null, deduped: false, error: "The span has as many updates as it can have." };
    const known = { _id: first.json.updates[0]._id, deduped: true };
    expect(first.json.updates).toEqual([{ ...known, deduped: false }, { ...known, deduped: false }, full]);
    expect(second.json.updates).toEqual([known, full, { _id: expect.any(String), deduped: false }]);
    expect(third.json.updates).toEqual([full]);
  });
});

test("a span that has as many updates as it can leaves room for another project's span with the same ids", async () => {
  const [full, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
  const timeMs = Date.now();
  const body = JSON.stringify({ startedAtMs: timeMs });
  const span = { otelTraceId: newTraceId(), spanId: root, isUpdate: false, timeMs, body, attributes: 0, values: 0 };
  const jobOf = (projectId: string, count: number): SpanJob => ({
    ...{ projectId, rows: [], bytes: 0 },
    updates: Array.from({ length: count }, (_, index) => ({ ...span, dk: hashUuid("update", `${index}`) })),
  });
  const store = await openIngestDatabase();
  try {
    await store.store.insertBatch([jobOf(full, 1000)], 0);

    const outcomes = await store.store.insertBatch([jobOf(full, 1001), jobOf(other, 1)], 0);

    const answers = outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value.at(-1) : outcome));
    expect(answers).toMatchObject([{ refused: "too-many" }, { deduped: false, id: expect.stringMatching(/./) }]);
    expect(answers[1]).not.toHaveProperty("refused");
  } finally {
    await store.close();
  }
});
