import { evaluationsReceived, type ReceivedEvaluation, type SettledTrace, tracesSettled } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { hashUuid } from "../src/model/ids.ts";
import type { IncomingFragment } from "../src/model/incoming-fragment.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { createDueReader } from "../src/trace-store/settling/due-rows.ts";
import { buildSettling, readDueTraces, settlingTraces } from "../src/trace-store/settling/due-traces.ts";
import { showDetail } from "../src/traces/show-trace.ts";
import { useIngestDatabase } from "./ingest-database.ts";
import {
  calling,
  newProject,
  otlp,
  passTime,
  readAnnounced,
  readRoots,
  spanId,
  storeJob,
  traceId,
} from "./settling-bench.ts";
import { buildJob } from "./span-builders.ts";
import { cutIntoExports, seededRandom, spansOf, traceCaptures } from "./trees/exports.ts";

const quietSeconds = 10;
const openSeconds = 1_000;

const database = useIngestDatabase({
  spansMax: 40,
  orphanGraceMs: 100_000,
  staleDelayMs: 0,
  settleDelayMs: quietSeconds * 1_000,
  openDelayMs: openSeconds * 1_000,
});

async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<string[]> {
  return store(await buildJob(projectId, spans));
}

async function insertFragments(projectId: string, ...fragments: IncomingFragment[]): Promise<void> {
  await store({ projectId, rows: [], fragments, bytes: 0 });
}

const store = (job: Awaited<ReturnType<typeof buildJob>>): Promise<string[]> => storeJob(database, job);

const pass = (seconds: number): Promise<void> => passTime(database, seconds);
const settled = (projectId: string) => readAnnounced<SettledTrace>(database, projectId, tracesSettled);
const settledIds = async (projectId: string) => (await settled(projectId)).map(({ traceId }) => traceId);
const roots = (projectId: string) => readRoots(database, projectId);
const evaluations = (projectId: string) => readAnnounced<ReceivedEvaluation>(database, projectId, evaluationsReceived);

describe("a REST trace", () => {
  test("settles with the commit that stores it, once, with what live checks go by", async () => {
    const projectId = newProject();
    const root = {
      spanId: "r",
      name: 'a "root"',
      sessionId: "chat",
      framework: "crewai",
      model: "m",
      latencyMs: 12.5,
      output: '" \\n\\u0020"',
      error: "no",
      toolCalls: '[{"name":"a","success":false},{"name":"b","success":true,"error":"x"},{"name":"a","error":"y"},{}]',
      trafficSource: "eval-run" as const,
    };
    const context = { monitor: true, patternIds: ["p1"] };
    const [id] = await store(await buildJob(projectId, [root, { parentSpanId: "r" }], context));
    await insert(projectId, { spanId: "r" });
    await insert(projectId, { parentSpanId: "r" });
    await pass(quietSeconds);

    expect(await settled(projectId)).toEqual([
      {
        projectId,
        traceId: id,
        agentId: expect.any(String),
        name: 'a "root"',
        createdAt: expect.any(String),
        trafficSource: "eval-run",
        monitor: true,
        patternIds: ["p1"],
        sessionId: "chat",
        framework: "crewai",
        model: "m",
        latencyMs: 12.5,
        hasError: true,
        isOutputEmpty: true,
        failedTools: ["a"],
        toolCalls: 4,
      },
    ]);
  });

  test.each([
    [null, true],
    ["null", true],
    ['""', true],
    ['"\\t\u2003"', true],
    ['"\\"x"', false],
    ['"x"', false],
    ["0", false],
    ["{}", false],
  ])("whose output is %s: empty is %s", async (output, isOutputEmpty) => {
    const projectId = newProject();
    await insert(projectId, { output });
    expect(await settled(projectId)).toMatchObject([{ isOutputEmpty, failedTools: [], toolCalls: 0 }]);
  });

  test("whose parent never comes settles when it is promoted", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, { parentSpanId: "never", latencyMs: 3, framework: "f", output: '"x"' });
    await pass(quietSeconds);
    expect(await settled(projectId)).toEqual([]);
    await pass(100);
    expect(await settled(projectId)).toMatchObject([
      { traceId: id, latencyMs: 3, framework: "f", isOutputEmpty: false },
    ]);
  });
});

describe("an OTel trace", () => {
  test("settles when nothing came for a while, as it is shown then, and again when it grew", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, otlp(1, null, { kind: "agent", tree: { responseId: "resp-1" } }));
    await pass(quietSeconds - 2);
    const call = { kind: "llm" as const, model: "m", output: '"done"', sessionId: "chat" };
    await insert(projectId, otlp(2, 1, call), otlp(3, 1, calling("t", false)));
    await pass(quietSeconds - 2);
    expect(await settled(projectId)).toEqual([]);
    await pass(2);
    const shown = { traceId: id, sessionId: "chat", model: "m", isOutputEmpty: false, hasError: false, toolCalls: 1 };
    const named = { otelTraceId: traceId, otelSpanId: spanId(1), responseId: "resp-1" };
    expect(await settled(projectId)).toMatchObject([{ ...shown, ...named, failedTools: ["t"], monitor: null }]);

    await insert(projectId, otlp(1, null), otlp(2, 1));
    await pass(quietSeconds);
    expect(await settledIds(projectId)).toEqual([id]);
    await insert(projectId, otlp(4, 1, calling("u", true)));
    await pass(quietSeconds);
    const [first, second] = await settled(projectId);
    expect([first, second]).toMatchObject([{ toolCalls: 1 }, { traceId: id, toolCalls: 2 }]);
    expect(Date.parse(second?.stateAt ?? "")).toBeGreaterThan(Date.parse(first?.stateAt ?? ""));
  });

  test("that grows while it is announced is not, and settles later", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, otlp(1, null));
    await database.maintenance.query({
      name: "due",
      text: "update ingest.traces set settles_at = now() where settles_at is not null",
    });
    const rows = await createDueReader(settlingTraces, 100)(database.maintenance);
    const due = (await readDueTraces(database.maintenance, rows)).filter((trace) => trace.projectId === projectId);
    expect(due).toMatchObject([{ rootIds: [id] }]);
    await insert(projectId, otlp(2, 1));
    const announcement = {
      trace: due[0] as (typeof due)[0],
      subject: tracesSettled.subject,
      member: "traces",
      item: "{}",
    };
    const settling = await database.maintenance.query(buildSettling(due, [announcement], true));
    expect(settling.rows).toEqual([{ settled: 0 }]);
    await pass(quietSeconds);
    expect(await settledIds(projectId)).toEqual([id]);
  });

  test("is announced once by two sweepers at the same time", async () => {
    const projectId = newProject();
    const ids = await insert(projectId, otlp(1, null), otlp(2, null));
    await database.maintenance.query({
      name: "due",
      text: "update ingest.traces set settles_at = now() where settles_at is not null",
    });
    await Promise.all([database.sweep(), database.sweep(), database.sweep()]);
    await pass(0);
    expect((await settledIds(projectId)).sort()).toEqual(ids.sort());
  });

  test("that cannot be read does not keep others from settling", async () => {
    const [broken, sound] = [newProject(), newProject()];
    const [id] = await insert(broken, otlp(1, null));
    const [neighbour] = await insert(sound, otlp(1, null));
    const setBody = (body: string) =>
      database.maintenance.query({
        name: "body_set",
        text: "update ingest.spans set body = decode($2, 'base64') where project_id = $1",
        values: [broken, body],
      });
    const body = (await database.store.readTrace(broken, id ?? ""))?.body.toString("base64") ?? "";
    await setBody("/w==");
    await pass(quietSeconds);
    expect([await settledIds(broken), await settledIds(sound)]).toEqual([[], [neighbour]]);
    await setBody(body);
    await pass(60);
    expect(await settledIds(broken)).toEqual([id]);
  });

  test("with a root that never ends counts as ended after a minute", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, otlp(1, null, { endedAtMs: null }), otlp(2, 1));
    await pass(openSeconds - 5);
    expect(await settled(projectId)).toEqual([]);
    await pass(5);
    expect(await settledIds(projectId)).toEqual([id]);
  });

  test("whose root never comes settles by its earliest orphan, after its promotion", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, otlp(2, 1), otlp(3, 1));
    await pass(quietSeconds);
    expect(await settled(projectId)).toEqual([]);
    await pass(100);
    await pass(quietSeconds);
    expect(await settledIds(projectId)).toEqual([id]);
  });

  test("of very many spans settles as it is shown when they are derived", async () => {
    const projectId = newProject();
    const [id] = await insert(projectId, otlp(1, null));
    for (let start = 2; start < 60; start += 20) {
      const spans = Array.from({ length: 20 }, (_, at) => otlp(start + at, 1, calling(`t${start + at}`, true)));
      await insert(projectId, ...spans);
    }
    await pass(quietSeconds);
    expect(await settled(projectId)).toMatchObject([{ traceId: id, toolCalls: 50 }]);
  });

  test("that was deleted does not settle, and an imported one requests nothing", async () => {
    const [gone, imported] = [newProject(), newProject()];
    const [id] = await insert(gone, otlp(1, null));
    await database.store.removeTrace(gone, id ?? "", () => true);
    await store(await buildJob(imported, [otlp(1, null)], { monitor: false }));
    await pass(openSeconds);
    expect([await settled(gone), await settled(imported)]).toEqual([[], []]);
  });

  test("that was imported is not monitored when it grows", async () => {
    const projectId = newProject();
    const [id] = await store(await buildJob(projectId, [otlp(1, null)], { monitor: false }));
    await insert(projectId, otlp(2, 1));
    await pass(quietSeconds);
    expect(await settled(projectId)).toMatchObject([{ traceId: id, monitor: false }]);
  });
});

describe("an evaluation from another system", () => {
  const graded = (more: Partial<IncomingFragment>, evaluation: object): IncomingFragment => ({
    key: hashUuid(JSON.stringify([more.spanId, evaluation])),
    otelTraceId: traceId,
    spanId: spanId(2),
    responseId: null,
    timeNano: 1n,
    kind: "evaluation",
    facts: {},
    body: JSON.stringify({ order: { observedNano: "1", index: 0 }, evaluation }),
    ...more,
  });
  const given = { name: "Tone", score: -0.5, label: "bad\0", evaluatedAt: "2026-11-20T09:30:00.123Z" };

  test.each(["before", "after"])("is announced with the root of its span when it comes %s the trace", async (when) => {
    const projectId = newProject();
    const spans = [otlp(1, null), otlp(2, 1)];
    let ids: string[] = [];
    if (when === "after") {
      ids = await insert(projectId, ...spans);
      await pass(quietSeconds);
    }
    await insertFragments(projectId, graded({}, given));
    if (when === "before") {
      await pass(quietSeconds);
      expect(await evaluations(projectId)).toEqual([]);
      ids = await insert(projectId, ...spans);
    }
    await pass(quietSeconds);
    const named = { projectId, traceId: ids[0], otelTraceId: traceId, otelSpanId: spanId(2), explanation: null };
    const { evaluatedAt: at, ...said } = given;
    expect(await evaluations(projectId)).toEqual([{ ...named, ...said, label: "bad\ufffd", at }]);
    await insertFragments(projectId, graded({}, given));
    await pass(quietSeconds);
    expect(await evaluations(projectId)).toHaveLength(1);
  });

  test("is found by its response alone, and among several roots by the way up", async () => {
    const projectId = newProject();
    const answering = otlp(4, 3, { kind: "llm", tree: { responseId: "r" } });
    const [first, , second] = await insert(projectId, otlp(1, null), otlp(2, 1), otlp(3, null), answering);
    await insertFragments(
      projectId,
      graded({}, { name: "of the first" }),
      graded({ otelTraceId: null, spanId: null, responseId: "r" }, { name: "of the second" }),
      graded({ spanId: spanId(9) }, { name: "of none" }),
    );
    await pass(quietSeconds);
    expect(
      (await evaluations(projectId)).map(({ name, traceId: root, otelSpanId }) => [name, root, otelSpanId]),
    ).toEqual(
      expect.arrayContaining([
        ["of the first", first, spanId(2)],
        ["of the second", second, spanId(4)],
      ]),
    );
    expect(await evaluations(projectId)).toHaveLength(2);
  });
});

describe.each(traceCaptures.filter(({ name }) => ["langfuse/01", "traceloop/01", "otel-openai/05"].includes(name)))(
  "$name",
  (capture) => {
    test("settles exactly its roots in any order of its spans, at last as they are shown", async () => {
      const spans = await spansOf(capture);
      for (let seed = 1; seed <= Number(process.env.TREE_SEEDS ?? 2); seed += 1) {
        const random = seededRandom(seed);
        const projectId = newProject();
        for (const batch of cutIntoExports(spans, random)) {
          await insert(projectId, ...batch);
          if (random() < 0.4) await pass(quietSeconds);
        }
        await pass(quietSeconds);
        const shown = await roots(projectId);
        expect(shown.length).toBeGreaterThan(0);
        const last = new Map((await settled(projectId)).map((trace) => [trace.traceId, trace]));
        expect([...last.keys()].sort(), `seed ${seed}`).toEqual(shown.map(({ id }) => id).sort());
        for (const root of shown) {
          const detail = JSON.parse(
            Buffer.concat(await showDetail(root, { estimatedCostUSD: null, scores: [] })).toString(),
          );
          expect(last.get(root.id), `seed ${seed}`).toMatchObject({
            name: detail.name,
            model: detail.model ?? null,
            sessionId: detail.sessionId,
            latencyMs: detail.latencyMs ?? null,
            hasError: detail.error !== undefined,
            toolCalls: (detail.toolCalls ?? []).length,
            isOutputEmpty: (detail.output ?? "") === "",
          });
        }
      }
    });
  },
);
