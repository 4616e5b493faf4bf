import { randomUUID } from "node:crypto";
import type { Database, Statement } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import type { ComposeLoader } from "../src/assembly/compose.ts";
import type { IncomingFragment } from "../src/model/incoming-fragment.ts";
import type { ReadSpan } from "../src/model/read-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { decodeSpanBody, readBodyMembers, type SpanBody } from "../src/model/span-body.ts";
import type { SpanJob } from "../src/model/span-row.ts";
import { createPostgresTraceStore } from "../src/trace-store/postgres-trace-store.ts";
import { createComposeLoader } from "../src/trace-store/reading/compose-store.ts";
import type { TraceStore } from "../src/trace-store/trace-store.ts";
import { asTheyAre, countRowsRead, useIngestDatabase } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";

const database = useIngestDatabase();

const newProject = (): string => uuidv7(Date.now());
const startMs = Date.now() - 60_000;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** An HTTP root over a call of a model and its tools, which is all that it shows. */
function buildTrace(number: number, tools: number): Partial<IncomingSpan>[] {
  const otlp = { producer: "otlp" as const, otelTraceId: hex(number + 1, 32) };
  const child = { ...otlp, parentSpanId: hex(1, 16) };
  return [
    { ...otlp, spanId: hex(1, 16), name: "GET /chat", kind: "chain", startedAtMs: startMs + number },
    { ...child, spanId: hex(2, 16), kind: "llm", input: `"ask ${number}"`, output: `"answer ${number}"` },
    ...Array.from({ length: tools }, (_, tool) => ({
      ...child,
      spanId: hex(tool + 3, 16),
      kind: "tool" as const,
      startedAtMs: startMs + tool,
      toolCalls: `[{"name":"tool ${tool}","success":true}]`,
    })),
  ];
}

async function store(job: SpanJob): Promise<void> {
  const [outcome] = await database.store.insertBatch([job], 0);
  expect(outcome?.status).toBe("fulfilled");
}

/** The connections of the store, with a count of their calls. */
function countStatements(): { reading: Database; count: () => number } {
  let count = 0;
  const reading = new Proxy(database.app, {
    get(target, name, receiver) {
      if (name === "readScoped") count += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { reading, count: () => count };
}

/** A store that reads over these connections. */
const storeOver = (reading: Database): TraceStore =>
  createPostgresTraceStore({
    writing: reading,
    reading,
    searching: reading,
    partitions: { makeFor: async () => {} } as never,
    blocks: {} as never,
    processNumber: 0,
    tracesPerDay: null,
    assembleSpan: {} as never,
  });

const anyRoot = {
  framework: null,
  source: "all" as const,
  agentId: null,
  sessionId: null,
  model: null,
  fromMs: null,
  toMs: null,
  hasError: null,
  latencyMinMs: null,
  ratingMin: null,
  ratingMax: null,
  isFailing: null,
  isToolFailing: null,
  usedModel: null,
  hasModel: null,
  prompt: null,
  pattern: null,
};

const loaderOf = (projectId: string): ComposeLoader =>
  createComposeLoader((statement) => database.app.readScoped([projectId], statement), projectId);

async function bodyOf({ body }: ReadSpan): Promise<SpanBody> {
  return readBodyMembers(await decodeSpanBody(body));
}

describe("reading what spans refer to", () => {
  test("a page of a hundred traces takes a handful of statements, whatever they show of one another", async () => {
    const projectId = newProject();
    const traces = Array.from({ length: 100 }, (_, number) => buildTrace(number, 5));
    await store(await buildJob(projectId, traces.flat()));
    const { reading, count } = countStatements();
    const counted = storeOver(reading);
    const page = await counted.listRoots({ projectId, limit: 100, before: null, ...anyRoot }, asTheyAre);

    expect(page.items).toHaveLength(100);
    for (const span of page.items) {
      const body = await bodyOf(span);
      const number = span.startedAtMs === null ? -1 : span.startedAtMs - startMs;
      expect(body).toMatchObject({ input: `"ask ${number}"`, output: `"answer ${number}"` });
      expect(JSON.parse(body.toolCalls as string)).toHaveLength(5);
    }
    expect(count()).toBeLessThanOrEqual(3);

    const before = count();
    const again = await counted.listRoots({ projectId, limit: 100, before: null, ...anyRoot }, asTheyAre);
    const bodies = (spans: readonly ReadSpan[]) => Promise.all(spans.map(bodyOf));
    expect(await bodies(again.items)).toEqual(await bodies(page.items));
    // The page, and a check for the spans it borrows from: neither is read again.
    expect(count() - before).toBe(2);
  });

  test("a root that is removed while its page is read is missing from the page and from its total", async () => {
    const projectId = newProject();
    const output = JSON.stringify(Buffer.from(crypto.getRandomValues(new Uint8Array(2_000))).toString("base64"));
    const job = await buildJob(
      projectId,
      ["one", "two", "three"].map((spanId) => ({ spanId, output })),
    );
    await store(job);
    const [one, two, three] = job.rows.map(({ id }) => id) as [string, string, string];
    let statements = 0;
    const reading = new Proxy(database.app, {
      get(target, name, receiver) {
        if (name !== "readScoped") return Reflect.get(target, name, receiver);
        return async (projects: string[], statement: Statement) => {
          const answer = await target.readScoped(projects, statement);
          statements += 1;
          if (statements === 1) await database.store.removeTrace(projectId, two, () => true);
          return answer;
        };
      },
    });

    const page = await storeOver(reading).listRoots({ projectId, limit: 100, before: null, ...anyRoot }, asTheyAre);

    expect(page.items.map(({ id }) => id)).toEqual([three, one]);
    expect(page).toMatchObject({ totalCount: 2, hasNextPage: false });
    for (const span of page.items) expect((await bodyOf(span)).output).toBe(output);
  });

  test("large bodies come in slices of bounded size, each row once, and rows that are gone are passed over", async () => {
    const projectId = newProject();
    const output = JSON.stringify(Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64"));
    const spans = Array.from({ length: 300 }, (_, at) => ({ spanId: `s${at}`, output }));
    const job = await buildJob(projectId, spans);
    await store(job);
    const ids = job.rows.map(({ id }) => id);
    const gone = Array.from({ length: 10 }, newProject);
    const slices: number[] = [];
    const seen: string[] = [];
    for await (const rows of loaderOf(projectId).rows([...gone, ...ids, ...gone])) {
      slices.push(rows.reduce((sum, { body }) => sum + body.length, 0));
      seen.push(...rows.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
    expect(slices.length).toBeGreaterThan(1);
    expect(Math.max(...slices)).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  test("the records of many spans come in slices of bounded size, those of one span together", async () => {
    const projectId = newProject();
    const text = "x".repeat(900_000);
    const [spans, fragments] = [buildTrace(0, 5), [] as IncomingFragment[]];
    for (const { spanId = null } of spans) {
      for (const index of [2, 0, 1]) fragments.push(buildFragment(spanId, index, text));
    }
    const job = await buildJob(projectId, spans);
    await store({ ...job, fragments });
    const read = new Map<string, string[]>();
    let slices = 0;
    for await (const found of loaderOf(projectId).fragments(job.rows.map(({ id }) => id))) {
      slices += 1;
      for (const [id, bodies] of found) {
        expect(read.has(id)).toBe(false);
        read.set(
          id,
          bodies.map(({ inputMessages }) => String(inputMessages?.[0]?.role)),
        );
      }
    }
    expect(slices).toBeGreaterThan(1);
    expect([...read.keys()].toSorted()).toEqual(job.rows.map(({ id }) => id).toSorted());
    for (const order of read.values()) expect(order).toEqual(["0", "1", "2"]);
  });

  test("the records of a span are found without reading those of the other spans of its trace", async () => {
    const projectId = newProject();
    const spans = buildTrace(0, 98);
    const ofSpans = spans.map(({ spanId = null }, index) => buildFragment(spanId, index, "its record"));
    const ofResponses = spans.map((_, index) => ({ ...buildFragment(null, index, "by id"), responseId: `r${index}` }));
    const job = await buildJob(projectId, spans);
    await store({ ...job, fragments: [...ofSpans, ...ofResponses] });
    const ids = job.rows.map(({ id }) => id);
    // As autovacuum does: without statistics every index of so small a table seems as good.
    await database.superuser.query({ name: "", text: "analyze ingest.log_fragments" });
    await database.app.scoped([projectId], async (transaction) => {
      const before = await countRowsRead(transaction, "log_fragments");
      const loader = createComposeLoader((statement) => transaction.query(statement), projectId);
      const found = new Map<string, unknown>();
      for await (const slice of loader.fragments(ids)) {
        for (const [id, records] of slice) found.set(id, records);
      }
      expect(found.size).toBe(spans.length);
      expect((await countRowsRead(transaction, "log_fragments")) - before).toBeLessThan(4 * spans.length);
    });
  });

  test("another project's rows and records are none of ours", async () => {
    const [projectId, foreign] = [newProject(), newProject()];
    const job = await buildJob(projectId, buildTrace(0, 1));
    await store({ ...job, fragments: [buildFragment(hex(1, 16), 0, "ours")] });
    const ids = job.rows.map(({ id }) => id);
    const loader = loaderOf(foreign);
    for await (const rows of loader.rows(ids)) expect(rows).toEqual([]);
    for await (const rows of loader.digests(ids)) expect(rows).toEqual([]);
    for await (const found of loader.fragments(ids)) expect(found).toEqual(new Map());
  });
});

describe("a session", () => {
  test("larger than a slice is read whole, in order, each span once, with what its root shows of the others", async () => {
    const projectId = newProject();
    const [root, model] = buildTrace(7, 0) as [Partial<IncomingSpan>, Partial<IncomingSpan>];
    const children = Array.from({ length: 8_500 }, (_, at) => ({
      ...model,
      spanId: hex(at + 2, 16),
      // Several at the same moment, on both sides of where slices end.
      startedAtMs: startMs + 100 + Math.floor(at / 7) / 8,
    }));
    await store(await buildJob(projectId, [...children, root]));
    const spans: ReadSpan[] = [];
    const slices: number[] = [];
    for await (const slice of database.store.listSessionSpans(projectId, hex(8, 32))) {
      slices.push(slice.length);
      spans.push(...slice);
    }
    expect(slices.length).toBeGreaterThan(2);
    expect(spans.map(({ spanId }) => spanId)).toEqual([root, ...children].map(({ spanId }) => spanId));
    expect(await bodyOf(spans[0] as ReadSpan)).toMatchObject({ input: '"ask 7"', output: '"answer 7"' });
  });
});

test("a session whose spans have large log records comes in slices of bounded size", async () => {
  const projectId = newProject();
  const spans = buildTrace(0, 30);
  const job = await buildJob(projectId, spans);
  const text = "x".repeat(900_000);
  await store({ ...job, fragments: spans.map(({ spanId = null }) => buildFragment(spanId, 0, text)) });
  const slices: number[] = [];
  const seen: (string | null)[] = [];
  for await (const slice of database.store.listSessionSpans(projectId, hex(1, 32))) {
    slices.push(slice.reduce((sum, { body }) => sum + body.length, 0));
    seen.push(...slice.map(({ spanId }) => spanId));
  }
  expect(seen.toSorted()).toEqual(spans.map(({ spanId }) => spanId).toSorted());
  expect(slices.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(30 * text.length);
  // A record is shown twice: as the input, and among the messages.
  expect(Math.max(...slices)).toBeLessThanOrEqual(2 * 17 * 1024 * 1024);
});

function buildFragment(spanId: string | null, index: number, text: string): IncomingFragment {
  const body = {
    order: { observedNano: "0", index },
    inputMessages: [{ role: String(index), content: text }],
  };
  return {
    key: randomUUID(),
    otelTraceId: hex(1, 32),
    spanId,
    responseId: null,
    timeNano: 5n,
    kind: "message",
    facts: { hasInput: true },
    body: JSON.stringify(body),
  };
}
