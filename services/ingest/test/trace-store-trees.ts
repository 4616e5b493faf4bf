import { randomUUID } from "node:crypto";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import type { IncomingFragment } from "../src/model/incoming-fragment.ts";
import type { ReadSpan, StoredSpan } from "../src/model/read-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import type { RootPage, RootQuery, TraceStore } from "../src/trace-store/trace-store.ts";
import { asTheyAre } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";
import { cutIntoExports, seededRandom, spansOf, traceCaptures } from "./trees/exports.ts";

/**
 * The handling of trees in every {@link TraceStore}. `sweep` is one turn of its sweeper, with short waits; tests are
 * separated by project.
 */
export function describeTrees(open: () => TraceStore, sweep: () => Promise<number>): void {
  async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<StoredSpan[]> {
    const [outcome] = await open().insertBatch([await buildJob(projectId, spans)], 0);
    if (outcome?.status !== "fulfilled") throw outcome?.reason;
    return outcome.value;
  }

  async function insertFragments(projectId: string, ...fragments: IncomingFragment[]): Promise<void> {
    const [outcome] = await open().insertBatch([{ projectId, rows: [], fragments, bytes: 0 }], 0);
    if (outcome?.status !== "fulfilled") throw outcome?.reason;
  }

  async function sweepAll(): Promise<void> {
    for (let turns = 0; (await sweep()) > 0; turns += 1) expect(turns).toBeLessThan(100);
  }

  function list(projectId: string, query: Partial<RootQuery> = {}): Promise<RootPage<ReadSpan>> {
    return open().listRoots({ projectId, limit: 100, before: null, ...anyRoot, ...query }, asTheyAre);
  }

  async function rootNames(projectId: string): Promise<string[]> {
    const { items: spans, totalCount } = await list(projectId);
    expect(spans).toHaveLength(totalCount);
    return spans.map(({ name }) => name).sort();
  }

  async function readSession(projectId: string, sessionId: string): Promise<ReadSpan[]> {
    const spans: ReadSpan[] = [];
    for await (const slice of open().listSessionSpans(projectId, sessionId)) spans.push(...slice);
    return spans;
  }

  /** Every total equals a count of the rows, and search covers exactly the listed traces. */
  async function requireExactTotals(projectId: string): Promise<void> {
    const { items: spans } = await list(projectId);
    const totals: [Partial<RootQuery>, (span: ReadSpan) => boolean][] = [
      [{}, () => true],
      [{ framework: "f1" }, ({ framework }) => framework === "f1"],
      [{ framework: "f2", source: "eval" }, ({ framework, source }) => framework === "f2" && source === "eval-run"],
      [{ source: "production" }, ({ source }) => source === null],
      [{ pattern: "%needle%" }, () => true],
    ];
    for (const [query, holds] of totals) {
      const page = await list(projectId, query);
      expect({ query, total: page.totalCount }).toEqual({ query, total: spans.filter(holds).length });
    }
  }

  describe("a tree", () => {
    test("that arrives children first is not listed before its root, and is whole then", async () => {
      const projectId = newProject();
      const child = { ...otlp(1, 2, 1), kind: "llm" as const, model: "m", inputTokens: 5, outputTokens: 7 };
      await insert(projectId, child);
      expect(await rootNames(projectId)).toEqual([]);
      await insert(projectId, { ...otlp(1, 1, null), name: "root" });

      const { items: spans } = await list(projectId);
      expect(spans).toHaveLength(1);
      expect(spans[0]).toMatchObject({ name: "root", model: "m", inputTokens: 5, outputTokens: 7 });
    });

    test("that arrives root first includes later spans", async () => {
      const projectId = newProject();
      const [root] = await insert(projectId, { ...otlp(2, 1, null), name: "root" });
      await insert(projectId, { ...otlp(2, 3, 2), kind: "llm", model: "m2", inputTokens: 5, sessionId: "chat" });
      await insert(projectId, { ...otlp(2, 2, 1), kind: "tool", error: "no" });

      const read = await open().readTrace(projectId, root?.id ?? "");
      expect(read).toMatchObject({ name: "root", model: "m2", inputTokens: 5, sessionId: "chat" });
      expect(read?.derived).toMatchObject({ childErrors: 1, toolsFrom: [expect.any(String)] });
      expect((await readSession(projectId, "chat")).map(({ sessionId }) => sessionId)).toEqual([
        "chat",
        "chat",
        "chat",
      ]);
      expect((await list(projectId, { sessionId: "chat" })).totalCount).toBe(1);
      expect((await list(projectId, { pattern: "%chat%" })).totalCount).toBe(1);
    });

    test("whose root never comes is shown by its earliest orphan, until the parent comes after all", async () => {
      const projectId = newProject();
      await insert(projectId, { ...otlp(3, 4, 2), name: "later", startedAtMs: 2_000, framework: "f1" });
      await insert(projectId, { ...otlp(3, 3, 2), name: "earlier needle", startedAtMs: 1_000, framework: "f1" });
      await sweepAll();
      expect(await rootNames(projectId)).toEqual(["earlier needle"]);
      await requireExactTotals(projectId);

      await insert(projectId, { ...otlp(3, 2, 1), name: "middle" });
      expect(await rootNames(projectId)).toEqual([]);
      await requireExactTotals(projectId);

      await insert(projectId, { ...otlp(3, 1, null), name: "root" });
      await sweepAll();
      expect(await rootNames(projectId)).toEqual(["root"]);
    });

    test("of more spans than are read each time is derived a moment later", async () => {
      const projectId = newProject();
      const spans = Array.from({ length: 90 }, (_, index) => ({
        ...otlp(4, index + 2, 1),
        kind: "llm" as const,
        inputTokens: 1,
        startedAtMs: index,
      }));
      for (let start = 0; start < 90; start += 15) await insert(projectId, ...spans.slice(start, start + 15));
      const [root] = await insert(
        projectId,
        { ...otlp(4, 1, null), name: "root" },
        { ...otlp(4, 200, 199), name: "x" },
      );
      await insert(projectId, spans[3] as Partial<IncomingSpan>, { ...otlp(4, 1, null), name: "again" });
      await sweepAll();

      expect(await open().readTrace(projectId, root?.id ?? "")).toMatchObject({ name: "root", inputTokens: 90 });
      expect(await rootNames(projectId)).toEqual(["root"]);
      expect(await readSession(projectId, traceId(4))).toHaveLength(92);
    });

    test("of REST spans promotes each child whose parent never came, and takes it back", async () => {
      const projectId = newProject();
      await insert(projectId, { spanId: "a", parentSpanId: "p", name: "a needle" });
      await insert(projectId, { parentSpanId: "p", name: "b needle" }, { parentSpanId: "q", name: "c" });
      await insert(projectId, { spanId: "q", name: "q" });
      expect(await rootNames(projectId)).toEqual(["q"]);
      await sweepAll();
      expect(await rootNames(projectId)).toEqual(["a needle", "b needle", "q"]);

      await insert(projectId, { spanId: "p", name: "p needle" });
      await sweepAll();
      expect(await rootNames(projectId)).toEqual(["p needle", "q"]);
      expect((await list(projectId, { pattern: "%needle%" })).totalCount).toBe(1);
    });

    test("answers a replay with the first row, and changes nothing by it", async () => {
      const projectId = newProject();
      const spans = [otlp(5, 1, null), otlp(5, 2, 1)];
      const first = await insert(projectId, ...spans);
      const again = await insert(projectId, ...spans.map((span) => ({ ...span, name: "again", sessionId: "again" })));

      expect(again).toEqual(first.map((stored) => ({ ...stored, deduped: true })));
      expect(await rootNames(projectId)).toEqual(["weather agent"]);
      expect(await readSession(projectId, "again")).toEqual([]);
    });

    test("three writers that bring parts of one tree make one tree", async () => {
      const projectId = newProject();
      const spans = Array.from({ length: 30 }, (_, index) => ({
        ...otlp(6, index + 1, index === 0 ? null : Math.ceil(index / 2)),
        inputTokens: index === 0 ? null : 1,
        kind: "llm" as const,
      }));
      const jobs = await Promise.all(spans.map((span) => buildJob(projectId, [span])));
      await Promise.all(
        [0, 1, 2].map(async (writer) => {
          for (const job of jobs.filter((_, index) => index % 3 === writer)) await open().insertBatch([job], writer);
        }),
      );

      const { items: roots } = await list(projectId);
      expect(roots.map(({ inputTokens }) => inputTokens)).toEqual([15]);
    });
  });

  describe("what log records say", () => {
    const facts = { model: "logged", inputTokens: 9, sessionId: "told" };

    test.each(["before", "after"])("counts for a span that comes %s", async (when) => {
      const projectId = newProject();
      const said = fragment({ otelTraceId: traceId(7), spanId: spanId(2), facts });
      const spans = [otlp(7, 1, null), { ...otlp(7, 2, 1), kind: "llm" as const }];
      if (when === "after") await insert(projectId, ...spans);
      await insertFragments(projectId, said, said);
      if (when === "before") await insert(projectId, ...spans);
      await insertFragments(projectId, said);

      const { items: roots } = await list(projectId);
      expect(roots).toHaveLength(1);
      expect(roots[0]).toMatchObject({ model: "logged", inputTokens: 9, sessionId: "told" });
    });

    test.each(["before", "after"])("is matched by the response alone, also %s its span", async (when) => {
      const projectId = newProject();
      const said = fragment({ responseId: "r-1", facts });
      const span = { ...otlp(8, 1, null), kind: "llm" as const, tree: { responseId: "r-1" } };
      if (when === "after") await insertFragments(projectId, said);
      await insert(projectId, span);
      if (when === "before") await insertFragments(projectId, said);

      expect((await list(projectId)).items[0]).toMatchObject({ model: "logged", inputTokens: 9 });
      await insert(projectId, otlp(8, 2, 1));
      expect((await list(projectId)).items[0]).toMatchObject({ model: "logged", inputTokens: 9 });
    });

    const ofSpan = { otelTraceId: traceId(9), spanId: spanId(1) };
    test.each([
      ["its trace", ofSpan],
      ["its response", { responseId: "r-2" }],
    ])("in more records of %s than are read each time is shown a moment later", async (_of, place) => {
      const projectId = newProject();
      const span = { ...otlp(9, 1, null), kind: "llm" as const, tree: { responseId: "r-2" } };
      const many = Array.from({ length: 60 }, (_, index) => fragment({ ...place, timeNano: BigInt(index + 2) }));
      await insert(projectId, span);
      for (let start = 0; start < 60; start += 15) await insertFragments(projectId, ...many.slice(start, start + 15));
      await sweepAll();

      await insertFragments(projectId, fragment({ ...place, facts }));
      expect((await list(projectId)).items).toMatchObject([{ model: null }]);
      await insert(projectId, { ...otlp(9, 2, 1), kind: "tool" }, { ...span, name: "again" });
      await sweepAll();

      expect((await list(projectId)).items).toMatchObject([{ name: "weather agent", model: "logged", inputTokens: 9 }]);
      expect(await readSession(projectId, "told")).toHaveLength(2);
    });

    test("in very many records that come at once, before their span, is shown a moment later", async () => {
      const projectId = newProject();
      const many = Array.from({ length: 60 }, (_, index) => fragment({ ...ofSpan, timeNano: BigInt(index + 2) }));
      await insertFragments(projectId, ...many, fragment({ ...ofSpan, facts }));
      await insert(projectId, { ...otlp(9, 1, null), kind: "llm" });
      await sweepAll();

      expect((await list(projectId)).items).toMatchObject([{ model: "logged", inputTokens: 9, sessionId: "told" }]);
    });
  });

  test("totals are a count of the rows after every step of arrivals, promotions and demotions", async () => {
    for (let seed = 1; seed <= Number(process.env.TREE_SEEDS ?? 3); seed += 1) {
      const random = seededRandom(seed);
      const projectId = newProject();
      const spans: Partial<IncomingSpan>[] = [];
      for (let trace = 20; trace < 24; trace += 1) {
        for (let span = 1; span <= 6; span += 1) {
          const parent = span === 1 ? null : 1 + Math.floor(random() * (span - 1));
          spans.push({ ...otlp(trace, span, parent), ...variety(random), parentIsRemote: random() < 0.1 });
        }
      }
      for (let span = 1; span <= 8; span += 1) {
        const parentSpanId = random() < 0.5 ? null : `r${Math.floor(random() * 10)}`;
        spans.push({ spanId: `r${span}`, parentSpanId, ...variety(random) });
      }
      for (const batch of cutIntoExports(spans, random)) {
        await insert(projectId, ...batch);
        await requireExactTotals(projectId);
        if (random() < 0.5) continue;
        await sweep();
        await requireExactTotals(projectId);
      }
      await sweepAll();
      await requireExactTotals(projectId);
      const roots = (await list(projectId)).items.filter(({ traceKey }) => traceKey !== null);
      expect(roots).toHaveLength(4);
    }
  });

  describe.each(traceCaptures.filter(({ name }) => captured.has(name)))("$name", (capture) => {
    test("ends up in the same rows in any order, cut anywhere, with replays and promotions between", async () => {
      const spans = await spansOf(capture);
      const wholeProject = newProject();
      await insert(wholeProject, ...spans);
      const whole = await readAll(wholeProject, spans);
      for (const seed of [1, 2]) {
        const random = seededRandom(seed);
        const projectId = newProject();
        for (const batch of cutIntoExports(spans, random)) {
          await insert(projectId, ...batch);
          if (random() < 0.3) await sweep();
        }
        await sweepAll();
        expect(await readAll(projectId, spans), `seed ${seed}`).toEqual(whole);
      }
    });
  });

  /** Every row as it is read, called by its span id; agents by their name. */
  async function readAll(projectId: string, spans: readonly IncomingSpan[]): Promise<unknown[]> {
    const read: ReadSpan[] = [];
    for (const otelTraceId of new Set(spans.map((span) => span.otelTraceId as string))) {
      read.push(...(await readSession(projectId, otelTraceId)));
    }
    const names = new Map(read.map(({ id, spanId: name }) => [id, name]));
    const roots = new Set((await list(projectId)).items.map(({ id }) => id));
    return read
      .map(({ id, agentId: _hash, body, derived, createdAtMs: _received, ...span }) => ({
        ...span,
        isRoot: roots.has(id),
        body: body.toString("base64"),
        derived: JSON.parse(
          JSON.stringify(derived).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (row) => names.get(row) ?? row),
        ),
      }))
      .sort((left, right) => ((left.spanId ?? "") < (right.spanId ?? "") ? -1 : 1));
  }
}

/** One of each kind of tree; the rest is derived by the same function, see test/trees. */
const captured = new Set(["langfuse/01", "traceloop/01", "vercel-ai-v7-genai/06", "langsmith/01", "otel-openai/05"]);

function variety(random: () => number): Partial<IncomingSpan> {
  return {
    name: "needle",
    startedAtMs: 1_700_000_000_000 + Math.floor(random() * 3) * 86_400_000,
    framework: random() < 0.5 ? "f1" : "f2",
    trafficSource: random() < 0.5 ? "eval-run" : null,
  };
}

function traceId(trace: number): string {
  return trace.toString(16).padStart(32, "0");
}

function spanId(span: number): string {
  return span.toString(16).padStart(16, "0");
}

function otlp(trace: number, span: number, parent: number | null): Partial<IncomingSpan> {
  return {
    producer: "otlp",
    otelTraceId: traceId(trace),
    spanId: spanId(span),
    parentSpanId: parent === null ? null : spanId(parent),
  };
}

function fragment(said: Partial<IncomingFragment>): IncomingFragment {
  return {
    key: randomUUID(),
    otelTraceId: null,
    spanId: null,
    responseId: null,
    timeNano: 1n,
    kind: "test",
    facts: {},
    body: '{"order":{"observedNano":"1","index":0}}',
    ...said,
  };
}

function newProject(): string {
  return uuidv7(Date.now());
}
