import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import type { ReadSpan, StoredSpan } from "../src/model/read-span.ts";
import type { RootFilter } from "../src/model/root-filter.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { cutBodyMembers, decodeSpanBody } from "../src/model/span-body.ts";
import type { RootPage, RootQuery, TraceStore } from "../src/trace-store/trace-store.ts";
import { asTheyAre } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";

/** Filters nothing. */
export const anyRoot: RootFilter = {
  framework: null,
  source: "all",
  agentId: null,
  sessionId: null,
  model: null,
  fromMs: null,
  toMs: null,
  hasError: null,
  latencyMinMs: null,
  ...{ ratingMin: null, ratingMax: null },
  isFailing: null,
  isToolFailing: null,
  ...{ usedModel: null, hasModel: null },
  prompt: null,
  pattern: null,
};

const dayMs = 24 * 60 * 60 * 1000;

/** What every {@link TraceStore} does. `open` answers the same store each time; tests keep apart by project. */
export function describeTraceStore(open: () => TraceStore): void {
  async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<StoredSpan[]> {
    const outcomes = await open().insertBatch([await buildJob(projectId, spans)], 0);
    return answersOf(outcomes).flat();
  }

  function list(projectId: string, query: Partial<RootQuery> = {}): Promise<RootPage<ReadSpan>> {
    return open().listRoots({ projectId, limit: 50, before: null, ...anyRoot, ...query }, asTheyAre);
  }

  async function readSession(projectId: string, sessionId: string): Promise<ReadSpan[]> {
    const spans: ReadSpan[] = [];
    for await (const slice of open().listSessionSpans(projectId, sessionId)) spans.push(...slice);
    return spans;
  }

  describe("writing", () => {
    test("a stored trace is read back by its id", async () => {
      const projectId = newProject();
      const createdAtMs = Date.now() - 1_000;
      const [stored] = await insert(projectId, {
        name: "a",
        timestampMs: createdAtMs,
        startedAtMs: createdAtMs - 5.25,
        latencyMs: 12.3456,
        sessionId: "s",
        spanId: "1",
        framework: "langchain",
        model: "m",
        error: "no\0pe",
        trafficSource: "eval-run",
        inputTokens: 12,
        outputTokens: 1.5,
        cacheWriteTokens: 7,
        input: '{"a":1e400}',
        metadata: '{"\\u0000":-0}',
      });

      expect(stored?.deduped).toBe(false);
      const read = await open().readTrace(projectId, stored?.id ?? "");
      expect(read).toMatchObject({
        id: stored?.id,
        name: "a",
        kind: "agent",
        createdAtMs,
        startedAtMs: createdAtMs - 6,
        latencyMs: 12.346,
        sessionId: "s",
        spanId: "1",
        parentSpanId: null,
        framework: "langchain",
        model: "m",
        source: "eval-run",
        agentId: stored?.agentId,
        inputTokens: 12,
        outputTokens: 1.5,
        cacheReadTokens: null,
        cacheWriteTokens: 7,
      });
      expect(await bodyOf(read)).toBe(',"input":{"a":1e400},"error":"no\\u0000pe","metadata":{"\\u0000":-0}');
    });

    test("a replayed span stores nothing and answers with the first trace, also when it differs", async () => {
      const projectId = newProject();
      const [first] = await insert(projectId, { spanId: "s1", name: "first", input: "1" });
      const [second] = await insert(projectId, { spanId: "s1", name: "second", input: "2" });

      expect(second).toEqual({ id: first?.id, agentId: first?.agentId, deduped: true });
      const page = await list(projectId);
      expect(page.totalCount).toBe(1);
      expect(page.items.map((span) => span.name)).toEqual(["first"]);
    });

    test("of twins in one batch the first is stored and both get its id", async () => {
      const projectId = newProject();
      const jobs = await Promise.all(
        ["first", "second"].map((name) => buildJob(projectId, [{ spanId: "twin", name }])),
      );
      const [one, other] = answersOf(await open().insertBatch(jobs, 0)).flat();

      expect(other).toEqual({ ...one, deduped: true });
      expect((await list(projectId)).items.map((span) => span.name)).toEqual(["first"]);
    });

    test("sixty writers of one span store one row", async () => {
      const projectId = newProject();
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => insert(projectId, { spanId: "same", sessionId: "s" })),
      );

      expect(new Set(answers.flat().map(({ id }) => id)).size).toBe(1);
      expect(answers.flat().filter(({ deduped }) => !deduped)).toHaveLength(1);
      expect((await list(projectId)).totalCount).toBe(1);
      expect(await readSession(projectId, "s")).toHaveLength(1);
    });

    test("a span id means another span in another project, and on OTLP in another trace", async () => {
      const [left, right] = [newProject(), newProject()];
      const otlp = (otelTraceId: string) => ({ producer: "otlp" as const, otelTraceId, spanId: "00f067aa0ba902b7" });
      await insert(left, { spanId: "00f067aa0ba902b7" }, otlp("a".repeat(32)), otlp("b".repeat(32)));
      const answers = await insert(right, { spanId: "00f067aa0ba902b7" });

      expect(answers.map(({ deduped }) => deduped)).toEqual([false]);
      expect((await list(left)).totalCount).toBe(3);
    });

    test("spans without an identity are never the same", async () => {
      const projectId = newProject();
      await insert(projectId, { input: "1" });
      await insert(projectId, { input: "1" });

      expect((await list(projectId)).totalCount).toBe(2);
    });

    test("rows sent again after a lost answer are stored once and are not replays", async () => {
      const projectId = newProject();
      const job = await buildJob(projectId, [{ spanId: "keyed" }, { name: "without identity" }]);
      const first = answersOf(await open().insertBatch([job], 0));
      const again = answersOf(await open().insertBatch([job], 0));

      expect(again).toEqual(first);
      expect(again.flat().map(({ deduped }) => deduped)).toEqual([false, false]);
      expect((await list(projectId)).totalCount).toBe(2);
    });

    test("one batch may hold jobs of several projects", async () => {
      const projects = [newProject(), newProject(), newProject()];
      const jobs = await Promise.all(projects.map((projectId) => buildJob(projectId, [{ name: projectId }])));
      await open().insertBatch(jobs, 0);

      for (const projectId of projects) {
        expect((await list(projectId)).items.map((span) => span.name)).toEqual([projectId]);
      }
    });

    test("a job of thousands of spans is stored whole", async () => {
      const projectId = newProject();
      const otelTraceId = "c".repeat(32);
      const spans = Array.from({ length: 3_000 }, (_, index) => ({
        producer: "otlp" as const,
        otelTraceId,
        spanId: index.toString(16).padStart(16, "0"),
        parentSpanId: index === 0 ? null : "0".repeat(16),
      }));
      await insert(projectId, ...spans);

      expect(await readSession(projectId, otelTraceId)).toHaveLength(3_000);
      expect((await list(projectId)).totalCount).toBe(1);
    });

    test("a job with data the store refuses leaves nothing of itself behind, however large it is", async () => {
      const projectId = newProject();
      const job = await buildJob(
        projectId,
        Array.from({ length: 3_000 }, (_, index) => ({ spanId: String(index) })),
      );
      const last = job.rows.at(-1);
      const poisoned = { ...job, rows: [...job.rows.slice(0, -1), { ...last, name: "\0" }] } as typeof job;

      await expect(open().insertBatch([poisoned], 0)).rejects.toThrow();
      expect((await list(projectId)).totalCount).toBe(0);
      expect((await insert(projectId, { spanId: "0" })).map(({ deduped }) => deduped)).toEqual([false]);
    });

    test("traffic of any year finds its place", async () => {
      const projectId = newProject();
      const days = ["1970-01-01", "2019-12-29", "2019-12-30", "2023-01-01", "2024-02-29"];
      await insert(projectId, ...days.map((day) => ({ name: day, timestampMs: Date.parse(day) })));

      const { items: spans, totalCount } = await list(projectId);
      expect(spans.map((span) => new Date(span.createdAtMs).toISOString().slice(0, 10))).toEqual(days.toReversed());
      expect(totalCount).toBe(5);
    });
  });

  describe("listing", () => {
    test("pages visit every root once, newest first, also among equal times", async () => {
      const projectId = newProject();
      const times = Array.from({ length: 45 }, (_, index) => Date.now() - Math.floor(index / 9) * 1_000);
      for (const timestampMs of times) await insert(projectId, { timestampMs });

      const seen: ReadSpan[] = [];
      let before: string | null = null;
      for (;;) {
        const page: RootPage<ReadSpan> = await list(projectId, { limit: 7, before });
        expect(page.totalCount).toBe(45);
        seen.push(...page.items);
        if (!page.hasNextPage) break;
        before = page.items.at(-1)?.id ?? null;
      }

      expect(new Set(seen.map(({ id }) => id)).size).toBe(45);
      expect(seen.map(({ createdAtMs }) => createdAtMs)).toEqual(times.toSorted((left, right) => right - left));
      expect(seen.map(({ id }) => id)).toEqual(
        seen
          .map(({ id }) => id)
          .toSorted()
          .reverse(),
      );
    });

    test("the last page is marked as the last, even when it is full", async () => {
      const projectId = newProject();
      await insert(projectId, {}, {});

      expect(await list(projectId, { limit: 2 })).toMatchObject({ hasNextPage: false });
      expect(await list(projectId, { limit: 1 })).toMatchObject({ hasNextPage: true });
    });

    test("an empty project has no page and a total of zero", async () => {
      expect(await list(newProject())).toMatchObject({ items: [], lastId: null, hasNextPage: false, totalCount: 0 });
    });

    test("a cursor pages on where no row of that id is", async () => {
      const projectId = newProject();
      const nowMs = Date.now();
      await insert(projectId, { timestampMs: nowMs - 1_000, name: "older" }, { timestampMs: nowMs, name: "newer" });

      const { items: spans, totalCount } = await list(projectId, { before: uuidv7(nowMs - 500) });
      expect(spans.map((span) => span.name)).toEqual(["older"]);
      expect(totalCount).toBe(2);
    });

    test("filters hold for the page and for the total", async () => {
      const projectId = newProject();
      await insert(
        projectId,
        { framework: "a" },
        { framework: "a", trafficSource: "eval-run" },
        { framework: "b" },
        { trafficSource: "eval-run" },
        {},
      );
      const count = async (query: Partial<RootQuery>) => {
        const { items: spans, totalCount } = await list(projectId, query);
        expect(spans).toHaveLength(totalCount);
        return totalCount;
      };

      expect(await count({})).toBe(5);
      expect(await count({ framework: "a" })).toBe(2);
      expect(await count({ framework: "a", source: "production" })).toBe(1);
      expect(await count({ source: "production" })).toBe(3);
      expect(await count({ source: "eval" })).toBe(2);
      expect(await count({ framework: "c" })).toBe(0);
    });

    test("a child is not listed, one whose parent lives elsewhere is", async () => {
      const projectId = newProject();
      const otlp = { producer: "otlp" as const, otelTraceId: "d".repeat(32), parentSpanId: "1".repeat(16) };
      await insert(
        projectId,
        { ...otlp, spanId: "2".repeat(16), name: "child" },
        { ...otlp, spanId: "3".repeat(16), name: "entry", parentIsRemote: true },
      );

      const page = await list(projectId);
      expect(page.items.map((span) => span.name)).toEqual(["entry"]);
      expect(page.totalCount).toBe(1);
    });
  });

  describe("removing", () => {
    const goOn = (): boolean => true;

    test("a trace goes with its children and its count, and its identity is free again", async () => {
      const projectId = newProject();
      const [root] = await insert(projectId, { spanId: "root" }, { spanId: "child", parentSpanId: "root" });
      await insert(projectId, { name: "kept" });

      const removed = await open().removeTrace(projectId, root?.id ?? "", goOn);
      expect(removed).toMatchObject({ traces: 1, spans: 2, isComplete: true });
      expect((await list(projectId)).totalCount).toBe(1);
      expect((await insert(projectId, { spanId: "root" }))[0]?.deduped).toBe(false);
      expect((await list(projectId)).totalCount).toBe(2);
    });

    test("reaches nothing of another project's that has the same names", async () => {
      const [own, foreign] = [newProject(), newProject()];
      const trace = { producer: "otlp" as const, otelTraceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
      const spans = [
        { ...trace, spanId: "1".repeat(16), model: "m" },
        { spanId: "root", model: "m" },
        { spanId: "child", parentSpanId: "root" },
      ];
      const kept = await insert(own, ...spans);
      const [otel, rest] = await insert(foreign, ...spans);

      expect(await open().removeTrace(foreign, kept[0]?.id ?? "", goOn)).toBeNull();
      expect(await open().removeTrace(foreign, otel?.id ?? "", goOn)).toMatchObject({ spans: 1 });
      expect(await open().removeTrace(foreign, rest?.id ?? "", goOn)).toMatchObject({ spans: 2 });
      await insert(foreign, ...spans);
      expect(await open().removeTraces(foreign, { ...anyRoot, model: "m" }, goOn)).toMatchObject({
        traces: 2,
        spans: 3,
      });
      await insert(foreign, ...spans);
      expect(await open().removeSpansBefore(foreign, Date.now() + dayMs, goOn)).toMatchObject({ spans: 3 });
      expect((await list(foreign)).totalCount).toBe(0);
      expect((await list(own)).totalCount).toBe(2);
      for (const { id } of kept) expect(await open().readTrace(own, id)).not.toBeNull();
    });

    test("stops between transactions on request, and reports it", async () => {
      const projectId = newProject();
      const [root] = await insert(projectId, { spanId: "root" });
      const nothing = { traces: 0, spans: 0, isComplete: false };
      expect(await open().removeTrace(projectId, root?.id ?? "", () => false)).toMatchObject(nothing);
      expect(await open().removeTraces(projectId, anyRoot, () => false)).toMatchObject(nothing);
      expect((await list(projectId)).totalCount).toBe(1);
    });
  });

  describe("reading", () => {
    test("a project sees nothing of another's", async () => {
      const [own, foreign] = [newProject(), newProject()];
      const [stored] = await insert(own, { sessionId: "shared", spanId: "s" });

      expect(await open().readTrace(foreign, stored?.id ?? "")).toBeNull();
      expect(await readSession(foreign, "shared")).toEqual([]);
      expect(await list(foreign)).toMatchObject({ items: [], totalCount: 0 });
    });

    test("a session lists roots and children by start, whatever order they came in", async () => {
      const projectId = newProject();
      const startMs = Date.now() - dayMs;
      await insert(projectId, { sessionId: "s", name: "third", startedAtMs: startMs + 2 });
      await insert(projectId, { sessionId: "s", name: "first", startedAtMs: startMs, parentSpanId: "p" });
      await insert(projectId, { sessionId: "other", name: "no" });
      await insert(projectId, { sessionId: "s", name: "second", timestampMs: startMs + 1 });

      const spans = await readSession(projectId, "s");
      expect(spans.map((span) => span.name)).toEqual(["first", "second", "third"]);
    });

    test("an OTel trace is a session too, and its spans are found once by either name", async () => {
      const projectId = newProject();
      const trace = { producer: "otlp" as const, otelTraceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
      await insert(
        projectId,
        { ...trace, spanId: "1".repeat(16), sessionId: "chat" },
        { ...trace, spanId: "2".repeat(16) },
        { ...trace, spanId: "3".repeat(16), sessionId: trace.otelTraceId },
      );

      const byTrace = await readSession(projectId, trace.otelTraceId);
      expect(byTrace.map((span) => span.sessionId).toSorted()).toEqual(["chat", "chat", "chat"]);
      expect(await readSession(projectId, trace.otelTraceId.toUpperCase())).toHaveLength(3);
      expect(await readSession(projectId, "chat")).toHaveLength(3);
    });
  });
}

function newProject(): string {
  return uuidv7(Date.now());
}

function answersOf(outcomes: PromiseSettledResult<StoredSpan[]>[]): StoredSpan[][] {
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

async function bodyOf(span: ReadSpan | null): Promise<string> {
  if (span === null) throw new Error("there is no such span");
  return cutBodyMembers(await decodeSpanBody(span.body), "performanceSummary").toString();
}
