import { type LiveGroup, type LiveJudge, type SettledTrace, sessionsJudged } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { beforeEach, expect, test } from "vitest";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { startSessionSweep } from "../src/live-scorers/session-sweep.ts";
import { buildSettledTrace } from "./builders.ts";
import { buildGroup, buildJudge, buildVerdict } from "./judging-builders.ts";
import { buildScriptedChecks, carryOutPlanned, type ScriptedJudge } from "./scripted-checks.ts";
import { quiet, useLiveScorers, useTestStore } from "./test-store.ts";

const store = useTestStore();
const liveScorers = useLiveScorers(store);
let projectId: string;

beforeEach(async () => {
  projectId = crypto.randomUUID();
  // A pass is over the sessions of all projects.
  await store.query("delete from monitor.sessions");
  await store.query("update monitor.leases set ends_at = now()");
});

const tell = (judges: LiveJudge[], groups: LiveGroup[] = []): Promise<void> =>
  liveScorers.put({ projectId, revision: 1, judges, groups });

const buildChecks = (options: ScriptedJudge = {}) => buildScriptedChecks({ ...store, liveScorers }, options);

async function plan(checks: Check[], ...traces: SettledTrace[]): Promise<void> {
  await createCheckPlanner({ database: store.database, checks, logger: quiet, onPlanned: () => {} }).plan(traces);
}

const readPlanned = (): Promise<{ kind: string; scorer_id: string; subject_id: string; round: number }[]> =>
  store.query(
    "select kind, scorer_id, subject_id, round from monitor.checks where project_id = $1 order by round, kind desc",
    [projectId],
  );

const carryOut = (checks: Check[]) => carryOutPlanned(store, { projectId, checks, attempt: 1 });

const readAnnounced = async () => {
  const rows = await store.query<{ body: string }>(
    "select body from monitor.outbox where subject = $1 and body like '%' || $2 || '%' order by id",
    [sessionsJudged.subject, projectId],
  );
  return rows.flatMap(({ body }) => sessionsJudged.body.parse(JSON.parse(body)).sessions);
};

const openSweep = (options: Partial<Parameters<typeof startSessionSweep>[0]> = {}) =>
  startSessionSweep({
    database: store.database,
    maintenance: store.maintenance,
    liveScorers,
    onPlanned: () => {},
    logger: quiet,
    runsByItself: false,
    ...options,
  });

/** Lets all sessions of the project have been idle for so much longer. */
const idleFor = (seconds: number) =>
  store.query(
    `update monitor.sessions
     set active_at = active_at - $2 * interval '1 second', look_at = look_at - $2 * interval '1 second'
     where project_id = $1`,
    [projectId, seconds],
  );

/** So many sessions with one trace each. */
const planSessions = (count: number, name = "session") =>
  plan([], ...Array.from({ length: count }, (_, at) => buildSettledTrace({ projectId, sessionId: `${name}-${at}` })));

/** Its lease ends at once. */
const hasty = { everyMs: 1, sessionsMax: 5 };

test("a session that goes on after weeks is judged again, and its newest score counts", async () => {
  await tell([buildJudge({ scope: "session", idleSeconds: 60 })]);
  const sweep = openSweep({ timings: hasty });
  const judgeTurns = async (turns: number, rating: number) => {
    const { judge } = buildChecks({ reply: { verdicts: [buildVerdict({ rating })] } });
    await plan([judge], ...Array.from({ length: turns }, () => buildSettledTrace({ projectId, sessionId: "s" })));
    await idleFor(61);
    expect(await sweep.sweep(projectId)).toBe(1);
    await carryOut([judge]);
  };
  await judgeTurns(3, 2);
  await idleFor(20 * 86_400);
  // A sweep of all projects forgets old sessions.
  await sweep.sweep(null);
  expect(await store.query("select from monitor.sessions where project_id = $1", [projectId])).toEqual([]);

  await judgeTurns(3, 8);

  expect((await readAnnounced()).at(-1)).toMatchObject({ sessionId: "s", revision: 2, rating: 8 });
  await sweep.stop();
});

test("an idle session is judged once for each round of activity, as a whole conversation", async () => {
  await tell(
    [buildJudge({ scope: "session", idleSeconds: 60 })],
    [buildGroup({ scope: "session", idleSeconds: 7_200 })],
  );
  const { judge, group, asked } = buildChecks({ reply: { verdicts: [buildVerdict({ rating: 2 })] } });
  const sweep = openSweep();
  const first = buildSettledTrace({ projectId, sessionId: "s" });
  await plan([judge, group], first, buildSettledTrace({ projectId, sessionId: "s" }));
  await plan([judge, group], buildSettledTrace({ projectId, sessionId: "unwatched", monitor: false }));
  expect(await sweep.sweep(projectId)).toBe(0);
  await idleFor(61);
  expect(await sweep.sweep(projectId)).toBe(1);
  expect(await sweep.sweep(projectId)).toBe(0);
  await carryOut([judge, group]);
  expect(asked).toMatchObject([{ case: { input: "Hello", output: expect.stringContaining("[turn 2] Agent: Go") } }]);

  // The same trace again is no new activity; a new one is. The group is more patient.
  await plan([judge, group], { ...first, toolCalls: 9 });
  expect(await sweep.sweep(projectId)).toBe(0);
  await plan([judge, group], buildSettledTrace({ projectId, sessionId: "s" }));
  await idleFor(7_300);
  expect(await sweep.sweep(projectId)).toBe(1);
  expect((await readPlanned()).map(({ kind, subject_id, round }) => [kind, subject_id, round])).toEqual([
    ["judge", "s", 2],
    ["judge", "s", 3],
    ["group", "s", 3],
  ]);
  expect(
    await store.query(
      "select scorer_key, round, rating, span_count from monitor.session_scores where project_id = $1",
      [projectId],
    ),
  ).toEqual([{ scorer_key: "online-eval:p1", round: 2, rating: 2, span_count: 2 }]);
  expect(
    await store.query("select session_id, trace_id from monitor.events where project_id = $1", [projectId]),
  ).toEqual([{ session_id: "s", trace_id: null }]);

  const bad = { rating: 1, justification: "Bad.", reason: null, gatedBy: null };
  await carryOut([judge, buildChecks({ reply: { group: bad } }).group]);
  const sessions = await readAnnounced();
  expect(sessions.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  expect(sessions[2]?.judges).toHaveLength(2);
  expect(sessions[2]).toMatchObject({ sessionId: "s", rating: 1, scorerName: expect.stringMatching(/ \(group\)$/) });
  await sweep.stop();
});

test("a scorer that waits for a day judges a session after that day, also beside one that waits for a second", async () => {
  const patient = buildJudge({ scope: "session", idleSeconds: 86_400 });
  const impatient = buildJudge({ scope: "session", idleSeconds: 1, profileId: "p2", scorerId: "impatient" });
  const { judge } = buildChecks();
  const sweep = openSweep();
  await tell([patient]);
  await plan([judge], buildSettledTrace({ projectId, sessionId: "alone" }));
  await idleFor(86_460);
  expect(await sweep.sweep(projectId)).toBe(1);
  await carryOut([judge]);
  expect(await readAnnounced()).toMatchObject([{ sessionId: "alone" }]);

  projectId = crypto.randomUUID();
  await tell([impatient, patient]);
  await plan([judge], buildSettledTrace({ projectId, sessionId: "both" }));
  const readJudges = async (sessionId: string): Promise<string[]> =>
    (await readPlanned()).filter((each) => each.subject_id === sessionId).map((each) => each.scorer_id);
  await idleFor(2);
  expect(await sweep.sweep(projectId)).toBe(1);
  expect(await readJudges("both")).toEqual([impatient.scorerId]);
  await idleFor(86_460);
  expect(await sweep.sweep(projectId)).toBe(1);
  expect(await readJudges("both")).toHaveLength(2);

  // First looked at when it is too old for the impatient one.
  await plan([judge], buildSettledTrace({ projectId, sessionId: "late" }));
  await idleFor(86_460);
  expect(await sweep.sweep(projectId)).toBe(1);
  expect(await readJudges("late")).toEqual([patient.scorerId]);
  await sweep.stop();
});

test("a session that cannot be planned is put off and delays no other, and a profile may hold any text", async () => {
  const [failing, deleted, odd, sound] = Array.from({ length: 4 }, () => crypto.randomUUID());
  const oddAgent = crypto.randomUUID();
  await store.query(
    `insert into monitor.profiles (project_id, agent_id, id, document, created_at, updated_at)
     values ($1, $2, gen_random_uuid(), $3, now(), now())`,
    [odd, oddAgent, JSON.stringify({ approvalPolicy: { note: "\0", half: "\ud800" } })],
  );
  const all = [failing, deleted, odd, sound] as string[];
  for (const [at, id] of all.entries()) {
    projectId = id;
    await tell([buildJudge({ scope: "session", idleSeconds: 60 })]);
    const trace = buildSettledTrace({ projectId, sessionId: "s", agentId: id === odd ? oddAgent : null });
    await plan([], trace);
    // The oldest session first.
    await idleFor(1_000 - 100 * at);
  }
  await store.query("insert into monitor.deleted_projects (project_id) values ($1)", [deleted]);
  const logged: unknown[] = [];
  const sweep = openSweep({
    liveScorers: {
      async readToPlan(transaction, id) {
        if (id === failing) throw new Error("its scorers are unreadable");
        return liveScorers.readToPlan(transaction, id);
      },
    },
    logger: { error: (fields: unknown) => logged.push(fields) } as never,
    timings: hasty,
  });

  expect(await sweep.sweep(null)).toBe(2);

  const planned = "select project_id from monitor.checks where project_id = any ($1)";
  const rows = await store.query<{ project_id: string }>(planned, [all]);
  expect(new Set(rows.map((row) => row.project_id))).toEqual(new Set([odd, sound]));
  expect(logged).toMatchObject([{ projectId: failing }]);
  const due = "select from monitor.sessions where project_id = any ($1) and look_at <= now()";
  expect(await store.query(due, [all])).toEqual([]);
  await sweep.stop();
});

test("an outage ends a pass over idle sessions at once, and puts none off", async () => {
  await tell([buildJudge({ scope: "session", idleSeconds: 60 })]);
  await plan([], buildSettledTrace({ projectId, sessionId: "s" }));
  await idleFor(61);
  const outage = new AppError("store_unavailable", "The database is unavailable; retry.", { isOutage: true });
  const failing = openSweep({ liveScorers: { readToPlan: () => Promise.reject(outage) } });
  await expect(failing.sweep(projectId)).rejects.toBe(outage);
  const sweep = openSweep();
  expect(await sweep.sweep(projectId)).toBe(1);
  await Promise.all([failing.stop(), sweep.stop()]);
});

test("a pass gives at most five sessions to judges, one replica at a time, and none that ended a day ago", async () => {
  await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
  const { judge } = buildChecks();
  await plan(
    [judge],
    ...Array.from({ length: 7 }, (_, index) => buildSettledTrace({ projectId, sessionId: `s${index}` })),
  );
  await store.query("update monitor.sessions set active_at = now() - interval '2 seconds' where project_id = $1", [
    projectId,
  ]);
  await store.query(
    "update monitor.sessions set active_at = now() - interval '25 hours' where project_id = $1 and session_id = 's0'",
    [projectId],
  );
  const [one, other] = [1, 2].map(() =>
    startSessionSweep({
      database: store.database,
      maintenance: store.maintenance,
      liveScorers,
      onPlanned: () => {},
      logger: quiet,
      runsByItself: false,
    }),
  );
  expect([await one?.sweep(null), await other?.sweep(null)]).toEqual([5, null]);
  expect(await other?.sweep(projectId)).toBe(1);
  expect((await readPlanned()).map(({ subject_id }) => subject_id).sort()).toEqual([
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
  ]);
  await Promise.all([one?.stop(), other?.stop()]);
});

test("sessions of which nothing is left to judge take no place of one that is due", async () => {
  await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
  await planSessions(101);
  await idleFor(86_500);
  await planSessions(1, "due");
  await idleFor(2);
  const sweep = openSweep({ timings: hasty });

  await sweep.sweep(null);

  expect((await readPlanned()).map(({ subject_id }) => subject_id)).toEqual(["due-0"]);
  await sweep.stop();
});

test("a session of a small project is judged in the next pass beside the many older ones of another", async () => {
  await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
  await planSessions(100);
  await idleFor(3_600);
  projectId = crypto.randomUUID();
  await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
  await planSessions(1);
  await idleFor(2);
  const sweep = openSweep({ timings: hasty });

  expect(await sweep.sweep(null)).toBe(5);

  expect(await readPlanned()).toHaveLength(1);
  await sweep.stop();
});

test("more projects with many idle sessions than are judged in a pass do not keep another waiting", async () => {
  for (let project = 0; project < 5; project += 1) {
    projectId = crypto.randomUUID();
    await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
    await planSessions(40);
    await idleFor(3_600);
  }
  projectId = crypto.randomUUID();
  await tell([buildJudge({ scope: "session", idleSeconds: 1 })]);
  await planSessions(1);
  await idleFor(2);
  const sweep = openSweep({ timings: hasty });

  // Five of six projects have a turn in each pass: that this one has none in so many does not happen.
  for (let pass = 0; pass < 20; pass += 1) await sweep.sweep(null);

  expect(await readPlanned()).toHaveLength(1);
  await sweep.stop();
});

test("a scorer that is attached after another one judged an idle session judges it, too, and the other one not again", async () => {
  const judges = [buildJudge({ scope: "session", idleSeconds: 60 })];
  await tell(judges);
  await planSessions(1);
  await idleFor(61);
  const sweep = openSweep();
  expect(await sweep.sweep(projectId)).toBe(1);
  judges.push(buildJudge({ scope: "session", idleSeconds: 1, profileId: "p2", scorerId: "late" }));

  await liveScorers.put({ projectId, revision: 2, judges, groups: [] });
  expect(await sweep.sweep(projectId)).toBe(1);
  const scorers = (await readPlanned()).map((each) => each.scorer_id);
  expect(scorers.toSorted()).toEqual([judges[0]?.scorerId, "late"].toSorted());

  // An announcement that is repeated, or out of date, is none of a new scorer.
  await store.query("delete from monitor.checks where project_id = $1", [projectId]);
  for (const revision of [2, 1]) await liveScorers.put({ projectId, revision, judges, groups: [] });
  expect(await sweep.sweep(projectId)).toBe(0);
  await sweep.stop();
});
