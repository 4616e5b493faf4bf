import type { ReceivedEvaluation } from "@touchstone/contracts";
import { beforeEach, expect, test } from "vitest";
import { recordEvaluations } from "../src/verdicts/external-evaluation-store.ts";
import { useTestStore } from "./test-store.ts";

const store = useTestStore();
let projectId: string;
let traceId: string;

beforeEach(() => {
  projectId = crypto.randomUUID();
  traceId = crypto.randomUUID();
});

const build = (overrides: Partial<ReceivedEvaluation> = {}): ReceivedEvaluation => ({
  projectId,
  traceId,
  otelTraceId: "0".repeat(32),
  otelSpanId: "a".repeat(16),
  name: "relevance",
  score: 0.9,
  label: "good",
  explanation: "To the point.",
  at: "2026-01-02T03:04:05.678Z",
  ...overrides,
});

const readVerdicts = () =>
  store.query<{ id: string; scorer_key: string; rating: number; justification: string }>(
    "select id, scorer_key, rating, justification from monitor.verdicts where project_id = $1 order by scorer_key",
    [projectId],
  );
const readTold = async () =>
  (
    await store.query<{ body: { traces: { revision: number; judgeScores: unknown }[] } }>(
      "select body::json from monitor.outbox where body::json->'traces'->0->>'projectId' = $1 order by id",
      [projectId],
    )
  ).map(({ body }) => body.traces[0]);

test("an evaluation sent as telemetry is a verdict under its own name, separate from ours; a repetition changes nothing", async () => {
  await recordEvaluations(store.database, [build(), build({ name: "length", score: 212 })]);
  const [verdict, ...others] = await readVerdicts();
  expect(verdict).toMatchObject({
    scorer_key: "external:relevance",
    rating: 9,
    justification: 'Score 0.9, "good". To the point.',
  });
  expect(others).toEqual([]);
  expect(await readTold()).toMatchObject([{ revision: 1, judgeScores: null }]);

  await recordEvaluations(store.database, [build(), build({ name: "length", score: 212 })]);
  expect(await readVerdicts()).toEqual([verdict]);
  expect(await readTold()).toHaveLength(1);
});

test("of two with one name and span the later is in force, in whatever order and pieces they come", async () => {
  const later = build({ score: 0.4, at: "2026-01-02T03:05:00.000Z" });
  const elsewhere = build({ otelSpanId: "b".repeat(16), score: 0.6, label: null, explanation: null });
  await recordEvaluations(store.database, [later, build()]);
  expect(await readVerdicts()).toMatchObject([{ rating: 4 }]);
  await Promise.all([recordEvaluations(store.database, [build()]), recordEvaluations(store.database, [elsewhere])]);
  expect(await readVerdicts()).toMatchObject([{ rating: 4 }]);

  // Regraded on an unknown scale: no grade of that span can be rated, so the other one counts.
  await recordEvaluations(store.database, [build({ score: 40, at: "2026-01-02T03:06:00.000Z" })]);
  expect(await readVerdicts()).toMatchObject([{ rating: 6, justification: "Score 0.6." }]);
  await recordEvaluations(store.database, [{ ...elsewhere, score: null, at: "2026-01-02T03:07:00.000Z" }]);
  expect(await readVerdicts()).toEqual([]);
});

test("text that PostgreSQL cannot store, and grades of a deleted project, do not delay others", async () => {
  const gone = crypto.randomUUID();
  await store.query("insert into monitor.deleted_projects (project_id) values ($1)", [gone]);
  const odd = build({ name: "a\0b", label: "x".repeat(10_000), explanation: "\uD800".repeat(20_000) });
  await recordEvaluations(store.database, [build({ projectId: gone }), odd]);
  const [verdict] = await readVerdicts();
  expect(verdict?.scorer_key).toBe("external:a\uFFFDb");
  expect(verdict?.justification.length).toBeLessThanOrEqual(4_000);
  expect(await store.query("select from monitor.external_evaluations where project_id = $1", [gone])).toEqual([]);
});
