import { randomUUID } from "node:crypto";
import type { SettledTrace, tracesJudged } from "@touchstone/contracts";
import { beforeEach, expect, test } from "vitest";
import type { z } from "zod";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { recordSettledOutcomes } from "../src/live-checks.ts";
import { buildSettledTrace } from "./builders.ts";
import { buildJudge, buildVerdict } from "./judging-builders.ts";
import { buildScriptedChecks, carryOutPlanned } from "./scripted-checks.ts";
import { quiet, useLiveScorers, useTestStore } from "./test-store.ts";

const store = useTestStore();
const liveScorers = useLiveScorers(store);
let projectId: string;

beforeEach(() => {
  projectId = randomUUID();
});

async function plan(checks: Check[], ...traces: SettledTrace[]): Promise<void> {
  const parts = { database: store.database, checks, logger: quiet, onPlanned: () => {} };
  await createCheckPlanner({ ...parts, alsoRecord: recordSettledOutcomes }).plan(traces);
}

const readTold = async (): Promise<z.input<typeof tracesJudged.body>["traces"]> => {
  const text = "select body from monitor.outbox where body like '%' || $1 || '%' order by id";
  return (await store.query<{ body: string }>(text, [projectId])).flatMap(({ body }) => JSON.parse(body).traces);
};

test("ingest is notified of a trace that fails by itself as it settles, of nothing if it does not, and keeps it with a rating", async () => {
  await liveScorers.put({ projectId, revision: 1, judges: [buildJudge()], groups: [] });
  const { judge } = buildScriptedChecks(
    { ...store, liveScorers },
    { reply: { verdicts: [buildVerdict({ rating: 9 })] } },
  );
  const failing = buildSettledTrace({ projectId, failedTools: ["search"] });
  await plan([judge], failing, buildSettledTrace({ projectId }));
  await carryOutPlanned(store, { projectId, checks: [judge], attempt: 1 });
  await plan([judge], failing);
  await plan([judge], { ...failing, failedTools: [] });
  const told = (await readTold()).filter(({ traceId }) => traceId === failing.traceId);
  expect(told.map(({ revision, failure, judgeScores }) => [revision, failure, judgeScores?.rating])).toEqual([
    [1, "agent-tool-failure:search", undefined],
    [2, "agent-tool-failure:search", 9],
    [3, null, 9],
  ]);
  expect((await readTold()).filter(({ traceId }) => traceId !== failing.traceId)).toMatchObject([{ failure: null }]);
});

test("a failing trace that is not watched causes no notification", async () => {
  await plan([], buildSettledTrace({ projectId, failedTools: ["search"], monitor: false }));
  expect(await readTold()).toEqual([]);
});

test("an older state that comes again changes nothing, and the same one that comes again plans what is missing", async () => {
  await liveScorers.put({ projectId, revision: 1, judges: [buildJudge()], groups: [] });
  const { judge } = buildScriptedChecks({ ...store, liveScorers }, { reply: { verdicts: [] } });
  const older = buildSettledTrace({ projectId, failedTools: ["search"], stateAt: "2026-01-02T03:04:05.000Z" });
  const newer = { ...older, failedTools: [], latencyMs: 34, stateAt: "2026-01-02T03:05:05.000Z" };
  for (const state of [older, newer, older]) await plan([], state);
  expect((await readTold()).map(({ failure }) => failure)).toEqual(["agent-tool-failure:search", null]);
  const seen = "select latency_ms, failed_tools from monitor.seen_traces where project_id = $1";
  expect(await store.query(seen, [projectId])).toEqual([{ latency_ms: 34, failed_tools: [] }]);
  expect(await store.query("select from monitor.events where project_id = $1", [projectId])).toEqual([]);

  const planned = "select kind from monitor.checks where project_id = $1";
  await plan([judge], older);
  expect(await store.query(planned, [projectId])).toEqual([]);
  await plan([judge], newer);
  expect(await store.query(planned, [projectId])).toEqual([{ kind: "judge" }]);
});
