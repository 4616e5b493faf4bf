import { limits, traceListItem } from "@touchstone/contracts";
import { type Database, openDatabase } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createEventIds, type EventId } from "../src/live/event-ids.ts";
import { createSeqFloors } from "../src/live/seq-floors.ts";
import { createTailStore } from "../src/live/tail-store.ts";
import { asBuilder } from "../src/search/search-builder-store.ts";
import { type EventReader, type ReadEvent, readEvents } from "./event-reader.ts";
import { openPools, silentLogger } from "./ingest-database.ts";
import { type RunningIngest, rootSecret, startIngest, until } from "./running-ingest.ts";

let database: TestDatabase;
let one: RunningIngest;
let other: RunningIngest;
let projectId: string;
let readers: EventReader[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  [one, other] = await Promise.all([
    startIngest({ databaseUrl: database.url }),
    startIngest({ databaseUrl: database.url }),
  ]);
  await Promise.all([one.ready(), other.ready()]);
});

beforeEach(() => {
  projectId = uuidv7(Date.now());
});

afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
});

afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await database.drop();
});

async function follow(ingest: RunningIngest, options: Parameters<typeof readEvents>[2] = {}): Promise<EventReader> {
  const reader = await readEvents(ingest, projectId, options);
  readers.push(reader);
  return reader;
}

const namesOf = (events: readonly ReadEvent[]): string[] => events.map(({ data }) => data.name);
const hasTold = (reader: EventReader, count: number): Promise<void> => until(async () => reader.events.length >= count);

function openAdmin(): Database {
  return openDatabase({
    url: database.adminUrl,
    role: new URL(database.adminUrl).username,
    applicationName: "tail watcher",
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    logger: silentLogger,
  });
}

/** Resolves when the tail was read twice from now on: the first read's rows are sent by then. */
async function tailWasRead(): Promise<void> {
  const admin = openAdmin();
  const seen = new Set<string>();
  try {
    await until(async () => {
      const { rows } = await admin.query<{ at: string }>({
        name: "tail_readings",
        text: `
          select query_start::text as at
          from pg_stat_activity
          where datname = current_database() and query like '%tail_horizon() as%' and pid <> pg_backend_pid()`,
      });
      for (const { at } of rows) seen.add(at);
      // Two readings may have been before.
      return seen.size >= 4;
    });
  } finally {
    await admin.close();
  }
}

test("a trace is sent as a list item, whichever replica stored it", async () => {
  const reader = await follow(one);
  await one.submit(projectId, '{"name":"here",\n "input":{"n":\r\n1e400}, "output":"a\\nb"}');
  await other.submit(projectId, { name: "there", parent_span_id: "p" });
  await other.submit(projectId, { name: "elsewhere", model: "m" });
  await hasTold(reader, 2);

  expect(reader.events.map(({ name }) => name)).toEqual(["trace", "trace"]);
  expect(namesOf(reader.events)).toEqual(["here", "elsewhere"]);
  const { json } = await one.call(projectId, "GET", "/api/v1/ingest/traces");
  expect(reader.events.map(({ data }) => data)).toEqual(json.traces.toReversed());
  expect(traceListItem.parse(reader.events[1]?.data)).toMatchObject({ name: "elsewhere" });
});

test("a text that was numbered long before it becomes visible is not below the numbers that are read", async () => {
  const { app, maintenance } = openPools(database.url);
  const admin = openAdmin();
  try {
    const floors = createSeqFloors(createTailStore(app));
    await admin.transaction(async (transaction) => {
      const { rows } = await transaction.query<{ seq: string; xid: string }>({
        name: "slow_text",
        text: "insert into ingest.search_docs (project_id, id, doc) values ($1, $2, 'slow') returning seq, xid",
        values: [projectId, uuidv7(Date.now())],
      });
      // While no other transaction ends, the snapshots end before this one, although it has begun.
      for (let read = 0; read < 4; read += 1) {
        await floors.readState();
        await transaction.query({ name: "next_number", text: "select nextval('ingest.search_docs_seq_seq')" });
      }

      expect(floors.floorOf(BigInt(rows[0]?.xid ?? 0))).toBeLessThan(BigInt(rows[0]?.seq ?? 0));
    });
  } finally {
    await Promise.all([admin, app, maintenance].map((pool) => pool.close()));
  }
});

test("a build of the search index, however long, holds no trace back", async () => {
  const reader = await follow(one);
  const { app, maintenance } = openPools(database.url);
  try {
    await asBuilder(maintenance, async () => {
      await other.submit(projectId, { name: "meanwhile" });
      await hasTold(reader, 1);
    });
  } finally {
    await Promise.all([app.close(), maintenance.close()]);
  }

  expect(namesOf(reader.events)).toEqual(["meanwhile"]);
});

test("an OpenTelemetry root is sent once, however often more of its trace changes it", async () => {
  const reader = await follow(one);
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const send = (spanId: string, more: object) => {
    const span = { traceId, spanId, startTimeUnixNano: "1763690000000000000", endTimeUnixNano: "1763690001000000000" };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...more }] }] }] });
    return other.call(projectId, "POST", "/api/v1/otel/v1/traces", { body });
  };
  const says = (key: string, text: string) => ({ key, value: { stringValue: text } });
  expect((await send("00f067aa0ba902b7", { name: "agent" })).status).toBe(200);
  await hasTold(reader, 1);
  const attributes = [
    says("gen_ai.operation.name", "chat"),
    says("input.value", "grown later"),
    says("output.value", "x"),
  ];
  await send("00f067aa0ba902b8", { name: "chat", parentSpanId: "00f067aa0ba902b7", attributes });
  expect((await one.call(projectId, "GET", "/api/v1/ingest/traces?search=grown+later")).json.totalCount).toBe(1);
  await other.submit(projectId, { name: "next" });
  await hasTold(reader, 2);

  expect(namesOf(reader.events)).toEqual(["agent", "next"]);
});

test("traces committed before the stream began are not sent, and another project's never", async () => {
  await one.submit(projectId, { name: "before" });
  const reader = await follow(other);
  await one.submit(uuidv7(Date.now()), { name: "foreign" });
  await one.submit(projectId, { name: "after" });
  await hasTold(reader, 1);

  expect(namesOf(reader.events)).toEqual(["after"]);
});

test("with concurrent writers at two replicas every trace is sent once, in one order, to readers that change replicas", async () => {
  const total = 400;
  const [steady, opposite] = [await follow(one), await follow(other)];
  let wandering = await follow(one);
  const wandered: ReadEvent[] = [];
  let written = false;
  async function wander(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const isLast = written;
      await until(async () => wandering.events.length >= 20 || written);
      await wandering.close();
      wandered.push(...wandering.events);
      if (isLast) return;
      wandering = await follow(turn % 2 === 0 ? other : one, { lastEventId: wandering.lastEventId() });
      if (written) await until(async () => wandered.length + wandering.events.length >= total);
    }
  }
  const walk = wander();
  // Batches of many sizes, so that transactions overlap and end in another order than they began.
  await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (let index = 0; index < total / 4; ) {
        const burst = Math.min(1 + ((index + writer) % 7), total / 4 - index);
        const replica = (index + writer) % 2 === 0 ? one : other;
        await Promise.all(
          Array.from({ length: burst }, (_, step) => replica.submit(projectId, { name: `${writer}-${index + step}` })),
        );
        index += burst;
      }
    }),
  );
  written = true;
  await Promise.all([walk, hasTold(steady, total), hasTold(opposite, total)]);

  const order = namesOf(steady.events);
  expect(new Set(order).size).toBe(total);
  expect(order).toHaveLength(total);
  expect(namesOf(opposite.events)).toEqual(order);
  expect(namesOf(wandered)).toEqual(order);
});

test("a transaction that ends late holds back those after it, so that none of its traces is passed over", async () => {
  const reader = await follow(one);
  const { app } = openPools(database.url);
  const late = uuidv7(Date.now());
  try {
    await app.scoped([projectId], async (transaction) => {
      await transaction.query({
        name: "late_text",
        text: "insert into ingest.search_docs (project_id, id, doc) values ($1, $2, 'late')",
        values: [projectId, late],
      });
      const trace = await other.submit(projectId, { name: "quick" });
      expect(trace.status).toBe(201);
      await tailWasRead();
      await transaction.query({
        name: "late_span",
        text: `
          insert into ingest.spans (project_id, id, is_root, created_at, name, kind, has_error, body)
          select project_id, $2, is_root, created_at, 'late', kind, has_error, body
          from ingest.spans
          where project_id = $1 and name = 'quick'`,
        values: [projectId, late],
      });
    });
  } finally {
    await app.close();
  }
  await hasTold(reader, 2);

  expect(namesOf(reader.events)).toEqual(["late", "quick"]);
});

test("during a long transaction a reader receives nothing that was committed before it connected", async () => {
  const { app } = openPools(database.url);
  let reader: EventReader;
  try {
    reader = await app.scoped([projectId], async (transaction) => {
      await transaction.query({
        name: "running_text",
        text: "insert into ingest.search_docs (project_id, id, doc) values ($1, $2, 'running')",
        values: [projectId, uuidv7(Date.now())],
      });
      await other.submit(projectId, { name: "before" });
      const begun = await follow(one);
      await other.submit(projectId, { name: "after" });
      return begun;
    });
  } finally {
    await app.close();
  }
  await hasTold(reader, 1);

  expect(namesOf(reader.events)).toEqual(["after"]);
});

test("a reader receives only the requested framework and source", async () => {
  const reader = await follow(one, { query: "?framework=LangChain&source=production" });
  await one.submit(projectId, { name: "other framework", framework: "crewai" });
  await one.submit(projectId, { name: "evaluation", framework: "langchain", source: "eval-run" });
  await other.submit(projectId, { name: "wanted", framework: "langchain" });
  await hasTold(reader, 1);

  expect(namesOf(reader.events)).toEqual(["wanted"]);
});

test("a reader receives the traces that match the filters of the list, and nothing of another project's", async () => {
  const foreign = uuidv7(Date.now());
  const queries = [
    "?search=REFUND",
    "?model=m1&hasError=false",
    "?latencyMinMs=500",
    "?failing=true",
    "?sessionId=s1&to=2000-01-01",
    "?agentId=none",
  ];
  const told = await Promise.all(queries.map((query) => follow(one, { query })));
  const all = await follow(one);
  const traces = [
    { name: "quick", model: "m1", latency_ms: 10, session_id: "s1" },
    { name: "slow", model: "m2", latency_ms: 900, input: "My refund, please" },
    { name: "broken", model: "m1", latency_ms: 20, error: "no" },
  ];
  for (const trace of traces) {
    await one.submit(foreign, trace);
    await other.submit(projectId, trace);
  }
  await hasTold(all, 3);
  await tailWasRead();

  expect(told.map(({ events }) => namesOf(events))).toEqual([["slow"], ["quick"], ["slow"], ["broken"], [], []]);
  expect(namesOf(all.events)).toEqual(["quick", "slow", "broken"]);
});

test("a reader with previews receives short texts, another the whole of the same trace", async () => {
  const [whole, preview] = await Promise.all([follow(one), follow(one, { query: "?view=preview" })]);
  await one.submit(projectId, { name: "long", output: "x".repeat(5_000), tool_calls: [{ name: "look" }] });
  await Promise.all([hasTold(whole, 1), hasTold(preview, 1)]);

  expect(whole.events[0]?.data.output).toHaveLength(5_000);
  expect(preview.events[0]?.data).toMatchObject({ output: "x".repeat(300), spanCount: null, costUSD: null });
  expect(preview.events[0]?.data).not.toHaveProperty("toolCalls");
});

test("a reader that was disconnected for more than an hour, or has an invalid id, starts over", async () => {
  const ids = createEventIds(rootSecret);
  const first = await follow(one);
  const { position } = ids.parse(projectId, first.lastEventId()) as EventId;
  const nowMs = Date.now();
  await one.submit(projectId, { name: "missed" });

  for (const lastEventId of [
    ids.format(projectId, { position, atMs: nowMs - limits.streamResumeMaxMs - 1000 }),
    ids.format(projectId, { position: { xid: 999_999_999_999n, seq: 1n }, atMs: nowMs }),
    // Another project's.
    ids.format(uuidv7(nowMs), { position, atMs: nowMs }),
    // As ids were before they were encrypted.
    `${position.xid}-${position.seq}-${nowMs}`,
    "nonsense",
  ]) {
    const reader = await follow(other, { lastEventId });
    const name = `after ${lastEventId}`;
    await one.submit(projectId, { name });
    await hasTold(reader, 2);
    expect(reader.events.map((event) => [event.name, event.data.name])).toEqual([
      ["reset", undefined],
      ["trace", name],
    ]);
  }
});

test("the ids of events say nothing about how much is stored", async () => {
  const reader = await follow(one);
  await one.submit(projectId, { name: "counted" });
  await hasTold(reader, 1);
  const id = reader.lastEventId();
  const { position } = createEventIds(rootSecret).parse(projectId, id) as EventId;

  expect(id).toMatch(/^[\w-]{67}$/);
  const bytes = Buffer.from(id, "base64url").toString("hex");
  for (const counter of [position.xid, position.seq].filter((each) => each > 255n)) {
    expect(id).not.toContain(String(counter));
    expect(bytes).not.toContain(counter.toString(16).padStart(16, "0"));
  }
});

test("one project may have twenty streams at a replica; the next is 429 until one is closed", async () => {
  for (let index = 0; index < limits.streamsPerProjectMax; index += 1) await follow(one);
  const refused = await one.call(projectId, "GET", "/api/v1/ingest/traces/stream");
  expect([refused.status, refused.json]).toEqual([
    429,
    { statusCode: 429, message: "Too many open streams: a project may have 20." },
  ]);
  expect((await follow(other)).status).toBe(200);

  await readers[0]?.close();
  await until(async () => (await follow(one)).status === 200);
});

test("a stopping replica ends its streams, and the reader goes on at another one", async () => {
  const third = await startIngest({ databaseUrl: database.url });
  await third.ready();
  const reader = await follow(third);
  await one.submit(projectId, { name: "first" });
  await hasTold(reader, 1);
  await third.stop();
  await reader.ended;
  await one.submit(projectId, { name: "second" });

  const next = await follow(other, { lastEventId: reader.lastEventId() });
  await hasTold(next, 1);
  expect(namesOf(next.events)).toEqual(["second"]);
});
