import { createMetrics, createOutboundFetch, type OutboundFetch, systemClock } from "@touchstone/service-kit";
import { type CollectedRecord, type OtlpCollector, startOtlpCollector } from "@touchstone/testkit/otlp-collector";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Check, DueCheck } from "../src/checks/check.ts";
import { createCustomCheck } from "../src/custom-evaluators/custom-check.ts";
import { planOf } from "../src/judging/judged-subject.ts";
import { createLiveScorerStore } from "../src/live-scorers/live-scorer-store.ts";
import { createFindingStore } from "../src/signals/finding-store.ts";
import { recordSettledTraces } from "../src/traces/settled-trace-store.ts";
import { encodeVerdicts, readAnswer } from "../src/verdicts/otlp-export/encode-verdicts.ts";
import { exportRatings } from "../src/verdicts/otlp-export/export-ratings.ts";
import { exportVerdicts } from "../src/verdicts/otlp-export/export-verdicts.ts";
import { type ExportEnding, startExportWorker } from "../src/verdicts/otlp-export/export-worker.ts";
import type { ExportedVerdict } from "../src/verdicts/otlp-export/exported-verdict.ts";
import { createSendVerdicts, exportBounds } from "../src/verdicts/otlp-export/send-verdicts.ts";
import { createVerdictExportStore, trimVerdictExports } from "../src/verdicts/otlp-export/verdict-export-store.ts";
import { createVerdictExports } from "../src/verdicts/otlp-export/verdict-queue-store.ts";
import { buildExportedVerdict, buildSettledTrace } from "./builders.ts";
import { buildGroup, buildJudge, buildVerdict, scorerId } from "./judging-builders.ts";
import { buildScriptedChecks } from "./scripted-checks.ts";
import { quiet, useTestStore } from "./test-store.ts";

const store = useTestStore();
let collector: OtlpCollector;
let outbound: OutboundFetch;
/** What ends with the test. */
let running: { stop(): Promise<void> }[] = [];
/** How verdicts left. */
let ended: Partial<Record<ExportEnding, number>> = {};

beforeAll(() => {
  outbound = createOutboundFetch({ allowsPrivateHosts: true, ...exportBounds });
});
beforeEach(async () => {
  collector = await startOtlpCollector();
  ended = {};
});
afterEach(async () => {
  // First, so that no worker waits for an answer that does not come.
  await collector.stop();
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  await store.query("delete from monitor.verdict_exports");
});
afterAll(async () => {
  await outbound?.close();
});

async function write(...verdicts: ExportedVerdict[]): Promise<void> {
  const { write: writeExports } = createVerdictExports({ isExporting: true });
  for (const verdict of verdicts) {
    await store.database.scoped([verdict.projectId], (transaction) =>
      writeExports(transaction, verdict.projectId, [verdict]),
    );
  }
}

/** A replica's worker. */
function startWorker({ fetch = outbound, onFailing = async (): Promise<unknown> => null } = {}): void {
  const worker = startExportWorker({
    store: createVerdictExportStore(store.maintenance),
    send: createSendVerdicts({
      collector: { url: `${collector.url}/v1/logs`, headers: null },
      fetch,
      encode: encodeVerdicts,
      readAnswer,
      clock: systemClock,
    }),
    logger: quiet,
    onEnded: (ending, count) => {
      ended[ending] = (ended[ending] ?? 0) + count;
    },
    onFailing,
    timings: { leaseMs: 60_000, pollMs: 20 },
  });
  running.push(worker);
}

const idsOf = (records: readonly CollectedRecord[]) =>
  records.map(({ attributes }) => attributes["touchstone.verdict_id"]);
const arrived = () => idsOf(collector.exports.flatMap(({ records }) => records));
const waiting = async () =>
  (await store.query<{ verdict_id: string }>("select verdict_id from monitor.verdict_exports order by place")).map(
    (row) => row.verdict_id,
  );
const untilEmpty = () => vi.waitFor(async () => expect(await waiting()).toEqual([]));

test("verdicts leave in batches, the oldest first, and are gone when the collector has taken them", async () => {
  const verdicts = Array.from({ length: 5 }, () => buildExportedVerdict());
  await write(...verdicts);
  // Announced twice, it is queued once.
  await write(verdicts[0] as ExportedVerdict);
  startWorker();
  await untilEmpty();
  expect(collector.exports).toHaveLength(1);
  expect(collector.exports[0]).toMatchObject({
    path: "/v1/logs",
    headers: { "content-type": "application/x-protobuf", "content-encoding": "gzip" },
  });
  expect(arrived()).toEqual(verdicts.map(({ verdictId }) => verdictId));
  await vi.waitFor(() => expect(ended).toEqual({ sent: 5, rejected: 0 }));
});

const named = { otelTraceId: "0af7651916cd43dd8448eb211c80319c", otelSpanId: "b7ad6b7169203331", responseId: "r1" };
const otel = { traceId: named.otelTraceId, spanId: named.otelSpanId, responseId: "r1" };

/** A judge and a group that rate 4.9 and 6, and a custom scorer that flags. */
async function buildChecks(projectId: string): Promise<Record<"judge" | "group" | "custom", Check>> {
  const liveScorers = createLiveScorerStore(store.maintenance);
  const groups = [buildGroup({ alertThreshold: null })];
  await liveScorers.put({ projectId, revision: 1, judges: [buildJudge()], groups });
  const reply = {
    verdicts: [buildVerdict({ rating: 4.9, justification: "Rude." })],
    group: { rating: 6, justification: "Weighted mean.", reason: null, gatedBy: null },
  };
  const document = { name: "Length", kind: "external", enabled: true, invertMatch: false, severity: "low" };
  const answer = { matches: true, score: 0.25, reason: "Too long.", name: null, metadata: null };
  const custom = createCustomCheck({
    evaluators: { find: async () => ({ id: "length", document }) as never },
    ingest: { readTraceForScripts: async () => ({ input: "in", output: "out" }) as never },
    askEvaluator: async () => ({ answer }),
    findings: createFindingStore({ publicAddress: null }),
    verdictExports: createVerdictExports({ isExporting: true }),
  });
  return { ...buildScriptedChecks({ ...store, liveScorers }, { reply, isExporting: true }), custom };
}

/** Runs a check and records the outcome, like the transaction that settles it, and then `also`. */
async function carryOut(check: Check, due: Omit<DueCheck, "id" | "kind" | "attempt">, also = () => {}): Promise<void> {
  const signal = new AbortController().signal;
  const outcome = await check.carryOut({ ...due, id: "1", kind: check.kind, attempt: 1 }, signal);
  if (outcome.outcome !== "done") throw new Error(outcome.reason);
  await store.database.scoped([due.projectId], async (transaction) => {
    await outcome.record(transaction);
    also();
  });
}

test("what live scorers say leaves with the transaction that records it, and names the span and the verdict", async () => {
  const projectId = crypto.randomUUID();
  const trace = buildSettledTrace({ projectId, agentId: crypto.randomUUID(), sessionId: "s", ...named });
  const { judge, group, custom } = await buildChecks(projectId);
  const due = { projectId, subjectId: trace.traceId, round: 0, plan: planOf(trace) };
  await carryOut(judge, { ...due, scorerId });
  await carryOut(group, { ...due, scorerId: "g1" });
  await carryOut(custom, { ...due, scorerId: "length" });
  const session = { scope: "session", agentId: null, createdAt: trace.createdAt, spanCount: 2 };
  await carryOut(judge, { ...due, subjectId: "chat-17", round: 2, plan: session, scorerId });
  const failed = carryOut(group, { ...due, subjectId: crypto.randomUUID(), scorerId: "g1" }, () => {
    throw new Error("the check is somebody else's");
  });
  await expect(failed).rejects.toThrow("somebody else's");

  const stored = await store.query<{ id: string }>(
    `select id from monitor.verdicts where project_id = $1
     union all select id from monitor.session_scores where project_id = $1`,
    [projectId],
  );
  const { verdicts } = await createVerdictExportStore(store.maintenance).take({
    token: projectId,
    count: 9,
    leaseMs: 1,
  });
  expect(verdicts.map(({ verdictId }) => verdictId).sort()).toEqual(stored.map(({ id }) => id).sort());
  const about = {
    ...{ projectId, traceId: trace.traceId, otel, agentId: trace.agentId, sessionId: null, runId: null },
    ...{ verdictId: expect.any(String), givenAt: expect.any(String) },
  };
  expect(verdicts).toEqual([
    {
      ...about,
      ...{ scorerKind: "judge", scorerId, scorerName: "Tone", scorerVersion: 3, model: "m" },
      ...{ rating: 4.9, threshold: 5, failing: true, justification: "Rude." },
    },
    {
      ...about,
      ...{ scorerKind: "group", scorerId: "g1", scorerName: "All", scorerVersion: null, model: null },
      ...{ rating: 6, threshold: null, failing: null, justification: "Weighted mean." },
    },
    {
      ...about,
      ...{ scorerKind: "custom", scorerId: "length", scorerName: "Length", scorerVersion: null, model: null },
      ...{ rating: 2.5, threshold: null, failing: true, justification: "Too long." },
    },
    expect.objectContaining({ traceId: null, otel: null, sessionId: "chat-17", agentId: null, rating: 4.9 }),
  ]);
});

test("the evaluation of a trace is exported too, with the span's name if the trace is known", async () => {
  const projectId = crypto.randomUUID();
  const trace = buildSettledTrace({ projectId, agentId: crypto.randomUUID(), ...named });
  await store.database.scoped([projectId], (transaction) => recordSettledTraces(transaction, [projectId], [trace]));
  const runId = crypto.randomUUID();
  const rated = {
    ...{ projectId, runId, traceId: trace.traceId, verdictId: "v1", scorerKind: "judge" as const, scorerId: "tone" },
    ...{ scorerName: "Tone", rating: 7, justification: "Fine.", model: null, ratedAt: "2026-01-02T03:04:05.678Z" },
  };
  const unknown = { ...rated, traceId: crypto.randomUUID(), verdictId: "v2" };
  const deleted = { ...rated, projectId: crypto.randomUUID() };
  await store.query("insert into monitor.deleted_projects (project_id) values ($1)", [deleted.projectId]);
  const verdictExports = createVerdictExports({ isExporting: true });
  for (const _ of [1, 2]) await exportRatings({ database: store.database, verdictExports }, [rated, unknown, deleted]);
  const { verdicts } = await createVerdictExportStore(store.maintenance).take({
    token: projectId,
    count: 9,
    leaseMs: 1,
  });
  const said = { projectId, runId, scorerName: "Tone", rating: 7, failing: null, givenAt: rated.ratedAt };
  expect(verdicts).toMatchObject([
    { ...said, verdictId: "v1", otel, agentId: trace.agentId },
    { ...said, verdictId: "v2", otel: null, agentId: null },
  ]);
});

test("where the installation exports nothing, nothing is written down", async () => {
  const verdict = buildExportedVerdict();
  await store.database.scoped([verdict.projectId], (transaction) =>
    createVerdictExports({ isExporting: false }).write(transaction, verdict.projectId, [verdict]),
  );
  expect(await waiting()).toEqual([]);
});

test("a collector that is overloaded is asked again, and has everything in the end", async () => {
  collector.answerWith({ status: 429, retryAfter: "1" }, { status: 503 });
  const verdict = buildExportedVerdict();
  await write(verdict);
  startWorker();
  await untilEmpty();
  expect(arrived()).toEqual(Array(3).fill(verdict.verdictId));
  await vi.waitFor(() => expect(ended).toEqual({ sent: 1, rejected: 0 }));
});

test("verdicts held by a killed worker are sent by another when its lease ends", async () => {
  const [first, second] = [buildExportedVerdict(), buildExportedVerdict()];
  await write(first);
  const killed = createVerdictExportStore(store.maintenance);
  const taken = await killed.take({ token: crypto.randomUUID(), count: 100, leaseMs: 60_000 });
  expect(taken.verdicts).toEqual([first]);
  await write(second);
  startWorker();
  await vi.waitFor(() => expect(arrived()).toEqual([second.verdictId]));
  await vi.waitFor(async () => expect(await waiting()).toEqual([first.verdictId]));

  await store.query("update monitor.verdict_exports set due_at = now()");
  await untilEmpty();
  expect(arrived()).toEqual([second.verdictId, first.verdictId]);
});

test("a slow worker's result for verdicts that another has taken over no longer counts", async () => {
  const verdict = buildExportedVerdict();
  await write(verdict);
  const queue = createVerdictExportStore(store.maintenance);
  const take = (token: string) => queue.take({ token, count: 100, leaseMs: 60_000 });
  const slow = await take(crypto.randomUUID());
  await store.query("update monitor.verdict_exports set due_at = now()");
  const other = await take(crypto.randomUUID());
  expect(other.verdicts).toEqual([verdict]);
  await queue.putBack(slow);
  expect(await queue.remove(slow)).toBe(0);
  expect((await take(crypto.randomUUID())).verdicts).toEqual([]);
  expect(await queue.remove(other)).toBe(1);
});

test("two workers that live send nothing twice", async () => {
  const verdicts = Array.from({ length: 450 }, () => buildExportedVerdict());
  const [first] = verdicts as [ExportedVerdict];
  await store.database.scoped([first.projectId], (transaction) =>
    createVerdictExports({ isExporting: true }).write(transaction, first.projectId, verdicts),
  );
  startWorker();
  startWorker();
  await untilEmpty();
  expect(arrived().sort()).toEqual(verdicts.map(({ verdictId }) => verdictId).sort());
  await vi.waitFor(() => expect(ended.sent).toBe(450));
});

test.each([400, 401, 302])(
  "a batch that is answered %i is dropped and counted, and the next one goes",
  async (status) => {
    collector.answerWith({ status });
    await write(buildExportedVerdict(), buildExportedVerdict());
    startWorker();
    await vi.waitFor(() => expect(ended).toEqual({ refused: 2 }));
    const next = buildExportedVerdict();
    await write(next);
    await untilEmpty();
    expect(arrived()).toHaveLength(3);
    expect(arrived().at(-1)).toBe(next.verdictId);
  },
);

test("verdicts of a batch that a collector rejects are counted separately and not sent again", async () => {
  collector.answerWith({ rejected: 1, message: "too long" });
  await write(buildExportedVerdict(), buildExportedVerdict(), buildExportedVerdict());
  startWorker();
  await untilEmpty();
  await vi.waitFor(() => expect(ended).toEqual({ sent: 2, rejected: 1 }));
  expect(collector.exports).toHaveLength(1);
});

test("an export that is not answered in time is sent again", async () => {
  const hasty = createOutboundFetch({ allowsPrivateHosts: true, totalMs: 200 });
  running.push({ stop: () => hasty.close() });
  collector.answerWith("hangs");
  await write(buildExportedVerdict());
  startWorker({ fetch: hasty });
  await untilEmpty();
  expect(collector.exports.length).toBeGreaterThan(1);
});

test("while the collector is unavailable, verdicts older than a day are dropped and counted", async () => {
  const [old, young] = [buildExportedVerdict(), buildExportedVerdict()];
  await write(old, young);
  await store.query(
    "update monitor.verdict_exports set created_at = now() - interval '25 hours' where verdict_id = $1",
    [old.verdictId],
  );
  let dropped = 0;
  const trimming = trimVerdictExports({
    maintenance: store.maintenance,
    logger: quiet,
    onDropped: (count) => {
      dropped += count;
    },
  });
  running.push(trimming);
  collector.answerWith({ status: 503, retryAfter: "600" });
  startWorker({ onFailing: () => trimming.sweep() });
  await vi.waitFor(async () => expect(await waiting()).toEqual([young.verdictId]));
  await vi.waitFor(() => expect(dropped).toBe(1));
  expect(collector.exports).toHaveLength(1);
});

test("of very many that wait the oldest are dropped", async () => {
  const verdicts = [buildExportedVerdict(), buildExportedVerdict(), buildExportedVerdict()];
  await write(...verdicts);
  const parts = { maintenance: store.maintenance, logger: quiet, onDropped: () => {} };
  const trimming = trimVerdictExports({ ...parts, waitingMax: 2 });
  running.push(trimming);
  expect(await trimming.sweep()).toBe(1);
  expect(await waiting()).toEqual(verdicts.slice(1).map(({ verdictId }) => verdictId));
});

test("operators see how many were sent and how many wait", async () => {
  const metrics = createMetrics();
  await write(buildExportedVerdict());
  const pending = "service_monitor_verdict_exports_pending";
  const idle = exportVerdicts(null, { maintenance: store.maintenance, logger: quiet, metrics, clock: systemClock });
  expect(await metrics.getSingleMetricAsString(pending)).toContain(`${pending} 1`);
  await idle.stop();
  metrics.clear();
  const parts = { maintenance: store.maintenance, logger: quiet, metrics, clock: systemClock };
  running.push(exportVerdicts({ url: `${collector.url}/v1/logs`, headers: null }, parts));
  await untilEmpty();
  const sent = 'service_monitor_verdict_exports_total{outcome="sent"} 1';
  await vi.waitFor(async () =>
    expect(await metrics.getSingleMetricAsString("service_monitor_verdict_exports_total")).toContain(sent),
  );
  expect(await metrics.getSingleMetricAsString(pending)).toContain(`${pending} 0`);
});
