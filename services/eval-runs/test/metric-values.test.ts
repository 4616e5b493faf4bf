import type { RunScores } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createMetricReader } from "../src/gates/metric-values.ts";
import type { ScorableResult } from "../src/results/result-store.ts";

type Asked = { runId: string | null; traceIds: readonly string[]; cursor: string | null };

const trace = "5b8efff798038103d269b633813fc60c";
const result = (id: string, more: Partial<ScorableResult> = {}): ScorableResult => ({
  ...{
    id,
    questionIndex: 0,
    isVariant: false,
    status: "scored",
    rating: 3,
    caseId: id,
    runNumber: 1,
    traceId: null,
    spanId: null,
  },
  ...more,
});
const score = (value: number, more: Partial<RunScores["scores"][number]> = {}): RunScores["scores"][number] => ({
  value,
  ofRun: null,
  traceIds: [],
  spanId: null,
  ...more,
});

const query = { projectId: "p", runId: "r", metric: "m", requestId: "q", signal: new AbortController().signal };

/** Reads the values of these results; each page answers one request. */
async function read(results: ScorableResult[], ...pages: RunScores["scores"][]) {
  const asked: Asked[] = [];
  const readValues = createMetricReader({
    results: { listScorable: async () => results },
    ingest: {
      async readRunScores({ runId, traceIds, cursor }) {
        asked.push({ runId, traceIds, cursor });
        const scores = pages[asked.length - 1] ?? [];
        return { scores, nextCursor: asked.length < pages.length ? `after ${asked.length}` : null };
      },
    },
  });
  const values = await readValues(query);
  return { asked, ratings: values?.map(({ rating }) => rating) ?? null };
}

test("a result has the newest score that names its trace, or its case and repetition", async () => {
  const results = [
    result("a", { traceId: "5B8EFFF7-9803-8103-D269-B633813FC60C" }),
    result("b", { runNumber: 1 }),
    result("b2", { caseId: "b", runNumber: 2 }),
    result("variant", { caseId: "b", isVariant: true }),
    result("c"),
  ];
  const { ratings } = await read(
    results,
    [score(0.9, { traceIds: [trace] }), score(0.8, { ofRun: { caseId: "b", runNumber: 2 } })],
    [score(0.1, { traceIds: [trace] }), score(0.7, { ofRun: { caseId: "b", runNumber: null } })],
  );
  expect(ratings).toEqual([0.9, 0.7, 0.8, null, null]);
});

test("of several results in one trace, a score of a span is of the one that has it, and a score of the trace of all", async () => {
  const results = ["a", "b", "c"].map((id) => result(id, { traceId: trace, spanId: `000000000000000${id}` }));
  const scores = [
    score(0.9, { traceIds: [trace], spanId: "000000000000000B" }),
    score(0.4, { traceIds: [trace], spanId: "0000000000000001" }),
    score(0.2, { traceIds: [trace] }),
  ];
  expect((await read(results, scores)).ratings).toEqual([0.2, 0.9, 0.2]);
  expect((await read(results.slice(0, 1), scores)).ratings).toEqual([0.9]);
});

test("a failed result without a score is 0, and one with a score has it", async () => {
  const results = [result("a", { status: "failed" }), result("b", { status: "failed" })];
  expect((await read(results, [score(0.5, { ofRun: { caseId: "b", runNumber: 1 } })])).ratings).toEqual([0, 0.5]);
});

test("there are no values if no score belongs to a result", async () => {
  const run = score(1, { ofRun: { caseId: null, runNumber: null } });
  expect((await read([result("a", { status: "failed" })], [run])).ratings).toBeNull();
  expect((await read([])).asked).toHaveLength(1);
});

test("the newest score counts however many traces the run has", async () => {
  const results = Array.from({ length: 1_001 }, (_, index) => result(`${index}`, { traceId: `t${index}` }));
  const old = score(0.2, { ofRun: { caseId: "1000", runNumber: 1 } });
  const newer = score(0.9, { traceIds: ["t1000"] });
  const readValues = createMetricReader({
    results: { listScorable: async () => results },
    ingest: {
      readRunScores: async ({ traceIds }) => ({
        scores: traceIds.includes("t1000") ? [newer, old] : [old],
        nextCursor: null,
      }),
    },
  });
  expect((await readValues(query))?.at(-1)?.rating).toBe(0.9);
});

test("each trace is asked for once, a thousand at a time, each time with the run's scores", async () => {
  const results = Array.from({ length: 2001 }, (_, index) => result(`${index}`, { traceId: `t${index % 1500}` }));
  const { asked } = await read(results);
  expect(asked.map(({ runId, traceIds }) => [runId, traceIds.length])).toEqual([
    ["r", 1000],
    ["r", 500],
  ]);
});
