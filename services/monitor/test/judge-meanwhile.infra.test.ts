import { setTimeout as sleep } from "node:timers/promises";
import type { LiveGroup, LiveJudge, SettledTrace } from "@touchstone/contracts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { createKeepLiveScorers, type KeepLiveScorers } from "../src/live-scorers/bus.ts";
import { createJudgeMeanwhile } from "../src/live-scorers/judge-meanwhile.ts";
import { recordSettledTraces } from "../src/traces/settled-trace-store.ts";
import { buildSettledTrace } from "./builders.ts";
import { buildGroup, buildJudge } from "./judging-builders.ts";
import { buildScriptedChecks } from "./scripted-checks.ts";
import { quiet, useLiveScorers, useTestStore } from "./test-store.ts";

const store = useTestStore();
const liveScorers = useLiveScorers(store);
let keep: KeepLiveScorers;
let wakes = 0;
let projectId: string;

beforeAll(() => {
  const onPlanned = () => {
    wakes += 1;
  };
  keep = createKeepLiveScorers({
    liveScorers,
    judgeMeanwhile: createJudgeMeanwhile({ ...store, liveScorers, onPlanned }),
  });
});
beforeEach(() => {
  projectId = crypto.randomUUID();
  wakes = 0;
});

/** The database's clock, in a millisecond in which nothing happened before. */
async function readClock(): Promise<string> {
  const rows = await store.query<{ now: Date }>("select pg_sleep(0.002), clock_timestamp() as now");
  return rows.map(({ now }) => now.toISOString()).join();
}

const tell = (told: { judges?: LiveJudge[]; groups?: LiveGroup[]; revision?: number; changedAt?: string }) =>
  keep({ projectId, revision: 1, judges: [], groups: [], ...told });

async function settle(...traces: SettledTrace[]): Promise<void> {
  const { judge, group } = buildScriptedChecks({ ...store, liveScorers }, {});
  const checks: Check[] = [judge, group];
  await createCheckPlanner({ database: store.database, checks, logger: quiet, onPlanned: () => {} }).plan(traces);
}

async function readPlanned(): Promise<[kind: string, scorerId: string, subjectId: string][]> {
  const rows = await store.query<{ kind: string; scorer_id: string; subject_id: string }>(
    "select kind, scorer_id, subject_id from monitor.checks where project_id = $1 order by kind, scorer_id, subject_id",
    [projectId],
  );
  return rows.map((row) => [row.kind, row.scorer_id, row.subject_id]);
}

test("traces between a change and its event are judged when the event arrives, once", async () => {
  const before = buildSettledTrace({ projectId });
  await settle(before);
  const changedAt = await readClock();
  const after = buildSettledTrace({ projectId });
  const unwatched = buildSettledTrace({ projectId, monitor: false });
  const foreign = buildSettledTrace({ projectId: crypto.randomUUID() });
  await settle(after, unwatched, foreign);
  expect(await readPlanned()).toEqual([]);

  const told = {
    changedAt,
    judges: [
      buildJudge(),
      buildJudge({ scorerId: "paused", enabled: false }),
      buildJudge({ scorerId: "sessions", scope: "session" }),
    ],
    groups: [buildGroup()],
  };
  await tell(told);
  await tell(told);

  const expected = [
    ["group", "g1", after.traceId],
    ["judge", buildJudge().scorerId, after.traceId],
  ];
  expect(await readPlanned()).toEqual(expected);
  expect(wakes).toBe(1);
  // A release that does not say when it changed something is believed all the same.
  await tell({ judges: [], revision: 2 });
  expect(await readPlanned()).toEqual(expected);
});

test("a word that comes late and out of order speaks for its own time, and changes nothing that is newer", async () => {
  const firstChange = await readClock();
  const early = buildSettledTrace({ projectId });
  await settle(early);
  const secondChange = await readClock();
  const late = buildSettledTrace({ projectId });
  await settle(late);

  const first = buildJudge({ scorerId: "first" });
  await tell({ revision: 2, changedAt: secondChange, judges: [first, buildJudge({ scorerId: "second" })] });
  expect(await readPlanned()).toEqual([
    ["judge", "first", late.traceId],
    ["judge", "second", late.traceId],
  ]);
  await tell({ revision: 1, changedAt: firstChange, judges: [first] });

  expect((await readPlanned()).filter(([, , subject]) => subject === early.traceId)).toEqual([
    ["judge", "first", early.traceId],
  ]);
  // Two changes later it is paused, and a word from before comes after that.
  const third = await readClock();
  const last = buildSettledTrace({ projectId });
  await settle(last);
  await tell({ revision: 4, judges: [{ ...first, enabled: false }] });
  await tell({ revision: 3, changedAt: third, judges: [first, buildJudge({ scorerId: "gone" })] });
  expect((await readPlanned()).filter(([, , subject]) => subject === last.traceId)).toEqual([
    // By the judges in force when it settled.
    ["judge", "first", last.traceId],
    ["judge", "second", last.traceId],
  ]);
  const { judges } = await store.database.scoped([projectId], (open) => liveScorers.read(open, projectId));
  expect(judges.map(({ scorerId }) => scorerId)).toEqual(["first"]);
});

test("a trace that is being planned while the word comes is not missed", async () => {
  const changedAt = await readClock();
  const trace = buildSettledTrace({ projectId });
  const release = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<void>();
  const planning = store.database.scoped([projectId], async (transaction) => {
    await recordSettledTraces(transaction, [projectId], [trace]);
    expect(await liveScorers.readToPlan(transaction, projectId)).toEqual({ judges: [], groups: [] });
    hasRead.resolve();
    await release.promise;
  });
  await hasRead.promise;

  let isKept = false;
  const keeping = tell({ changedAt, judges: [buildJudge()] }).finally(() => {
    isKept = true;
  });
  while (!isKept && !(await isSomebodyWaiting())) await sleep(5);
  release.resolve();
  await Promise.all([planning, keeping]);

  expect(await readPlanned()).toEqual([["judge", buildJudge().scorerId, trace.traceId]]);
});

async function isSomebodyWaiting(): Promise<boolean> {
  const text =
    "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())";
  return (await store.query(text)).length > 0;
}

test("however many traces came meanwhile, all are judged, and nothing of a project that was deleted", async () => {
  const changedAt = await readClock();
  await store.query(
    `insert into monitor.seen_traces (project_id, trace_id, name, created_at, settled_at, seen_at)
     select $1, gen_random_uuid(), 'many', now(), now(), case when n < 2500 then now() else clock_timestamp() end
     from generate_series(1, 5000) as n`,
    [projectId],
  );
  await tell({ changedAt, judges: [buildJudge()] });
  expect(await readPlanned()).toHaveLength(5_000);

  const deleted = crypto.randomUUID();
  await store.query("insert into monitor.deleted_projects (project_id) values ($1)", [deleted]);
  await keep({ projectId: deleted, revision: 1, changedAt, judges: [buildJudge()], groups: [] });
});
