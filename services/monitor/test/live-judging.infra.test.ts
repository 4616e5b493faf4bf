import { BusError } from "@touchstone/bus";
import type { LiveGroup, LiveJudge, SettledTrace, scoreResult, tracesJudged } from "@touchstone/contracts";
import { AppError, createInternalClient, serviceStarting, systemClock } from "@touchstone/service-kit";
import { beforeEach, expect, test } from "vitest";
import type { z } from "zod";
import type { Check, CheckOutcome } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { createIngestClient } from "../src/ingest-client.ts";
import { readSubject } from "../src/judging/judged-subject.ts";
import { createLiveBudget } from "../src/judging/live-budget-store.ts";
import { withinLiveBudget } from "../src/patterns/within-live-budget.ts";
import { buildSettledTrace } from "./builders.ts";
import { startFakeIngest } from "./fake-ingest.ts";
import { buildGroup, buildJudge, buildVerdict, rubric, scorerId, skippedFor } from "./judging-builders.ts";
import { buildScriptedChecks, carryOutPlanned, type ScriptedJudge } from "./scripted-checks.ts";
import { rootSecret } from "./start-monitor.ts";
import { quiet, useLiveScorers, useTestStore } from "./test-store.ts";

type Reply = z.output<typeof scoreResult.reply>;

const store = useTestStore();
const liveScorers = useLiveScorers(store);
let projectId: string;

beforeEach(() => {
  projectId = crypto.randomUUID();
});

const tell = (judges: LiveJudge[], groups: LiveGroup[] = [], revision = 1): Promise<void> =>
  liveScorers.put({ projectId, revision, judges, groups });

const buildChecks = (options: ScriptedJudge = {}) => buildScriptedChecks({ ...store, liveScorers }, options);

async function plan(checks: Check[], ...traces: SettledTrace[]): Promise<void> {
  await createCheckPlanner({ database: store.database, checks, logger: quiet, onPlanned: () => {} }).plan(traces);
}

const readPlanned = (): Promise<
  { kind: string; scorer_id: string; subject_id: string; round: number; plan: never }[]
> =>
  store.query(
    "select kind, scorer_id, subject_id, round, plan from monitor.checks where project_id = $1 order by round, kind desc",
    [projectId],
  );

const carryOut = (checks: Check[], attempt = 1): Promise<CheckOutcome[]> =>
  carryOutPlanned(store, { projectId, checks, attempt });

const readUsed = async (): Promise<number> => {
  const text = "select used::integer from monitor.live_calls where project_id = $1";
  return (await store.query<{ used: number }>(text, [projectId]))[0]?.used ?? 0;
};

test("a judge looks at the traces of its agents while it is live, unless their profile is quiet", async () => {
  const [agentId, quietAgent] = [crypto.randomUUID(), crypto.randomUUID()];
  await store.query(
    `insert into monitor.profiles (project_id, agent_id, id, document, created_at, updated_at)
     values ($1, $2, gen_random_uuid(), '{"enabled":false}', now(), now())`,
    [projectId, quietAgent],
  );
  const own = (scorer: string, overrides: Partial<LiveJudge> = {}) =>
    buildJudge({ scorerId: scorer, scopeMode: "selected", agentIds: [agentId, quietAgent], ...overrides });
  await tell(
    [
      buildJudge({ scorerId: "paused", enabled: false }),
      buildJudge({ scorerId: "sessions", scope: "session" }),
      own("own"),
      own("never", { sampleRate: 0 }),
    ],
    [buildGroup()],
  );
  const { judge, group } = buildChecks();
  const ofAgent = buildSettledTrace({ projectId, agentId });
  const ofOther = buildSettledTrace({ projectId, agentId: crypto.randomUUID() });
  const ofQuiet = buildSettledTrace({ projectId, agentId: quietAgent });
  await plan([judge, group], ofAgent, ofOther, ofQuiet);
  expect((await readPlanned()).map(({ kind, scorer_id, subject_id }) => [kind, scorer_id, subject_id])).toEqual(
    expect.arrayContaining([
      ["judge", "own", ofAgent.traceId],
      ["group", "g1", ofAgent.traceId],
      ["group", "g1", ofOther.traceId],
    ]),
  );
  expect(await readPlanned()).toHaveLength(3);
});

test("a NUL or half a surrogate pair in a profile stops no judging of its project", async () => {
  const [oddAgent, quietAgent] = [crypto.randomUUID(), crypto.randomUUID()];
  const odd = { approvalPolicy: { note: "\0", "half \udc00": "\ud800" } };
  await store.query(
    `insert into monitor.profiles (project_id, agent_id, id, document, created_at, updated_at)
     values ($1, $2, gen_random_uuid(), $3, now(), now()), ($1, $4, gen_random_uuid(), $5, now(), now())`,
    [projectId, oddAgent, JSON.stringify(odd), quietAgent, JSON.stringify({ ...odd, enabled: false })],
  );
  await tell([buildJudge()]);
  const { judge } = buildChecks();
  const ofOdd = buildSettledTrace({ projectId, agentId: oddAgent });
  await plan([judge], ofOdd, buildSettledTrace({ projectId, agentId: quietAgent }));
  expect(await readPlanned()).toMatchObject([{ kind: "judge", subject_id: ofOdd.traceId }]);
});

test("of live scorers the greatest revision is in force, in any order of arrival", async () => {
  await tell([buildJudge()], [], 2);
  await tell([], [], 1);
  const { judge } = buildChecks();
  await plan([judge], buildSettledTrace({ projectId }));
  await tell([], [], 3);
  await plan([judge], buildSettledTrace({ projectId }));
  expect(await readPlanned()).toHaveLength(1);
});

test("a rating below the threshold is a verdict, an event and a signal, and ingest is notified, in one transaction", async () => {
  const agentId = crypto.randomUUID();
  await tell([buildJudge()]);
  const { judge, asked } = buildChecks({
    reply: { verdicts: [buildVerdict({ rating: 4.9, justification: "Rude." })] },
  });
  const trace = buildSettledTrace({ projectId, agentId, sessionId: "s" });
  await plan([judge], trace);
  await carryOut([judge]);

  expect(asked).toMatchObject([
    {
      projectId,
      verdictMode: "cache",
      judges: [rubric],
      case: { input: "How is the weather?", output: "None of your business." },
    },
  ]);
  expect(await store.query("select * from monitor.verdicts where project_id = $1", [projectId])).toMatchObject([
    {
      trace_id: trace.traceId,
      scorer_key: "online-eval:p1",
      scorer_version: 3,
      rating: 4.9,
      threshold: 5,
      justification: "Rude.",
      agent_id: agentId,
    },
  ]);
  expect(await store.query("select * from monitor.events where project_id = $1", [projectId])).toMatchObject([
    {
      pattern_key: "online-eval:p1",
      kind: "judge",
      polarity: "failure",
      severity: "high",
      trace_id: trace.traceId,
      session_id: "s",
      rating: 4.9,
    },
  ]);
  expect(await store.query("select * from monitor.signals where project_id = $1", [projectId])).toMatchObject([
    { pattern_key: "online-eval:p1", type: "online_evaluator_low_score", agent_id: agentId, occurrence_count: "1" },
  ]);
  const told = await readTold();
  expect(told).toMatchObject([
    {
      traceId: trace.traceId,
      revision: 1,
      judgeScores: { rating: 4.9, scorerName: "Tone", judgeCount: 1, failingCount: 1 },
    },
  ]);
});

const readTold = async (): Promise<z.input<typeof tracesJudged.body>["traces"]> => {
  const text = "select body from monitor.outbox where body like '%' || $1 || '%' order by id";
  return (await store.query<{ body: string }>(text, [projectId])).flatMap(({ body }) => JSON.parse(body).traces);
};

test("exactly at the threshold, and without one, nothing is raised; each further verdict is a greater revision", async () => {
  await tell([buildJudge(), buildJudge({ scorerId: "other", profileId: "p2", name: "Other", alertThreshold: null })]);
  const { judge } = buildChecks({ reply: { verdicts: [buildVerdict({ rating: 5 })] } });
  await plan([judge], buildSettledTrace({ projectId }));
  await carryOut([judge]);
  expect(await store.query("select from monitor.signals where project_id = $1", [projectId])).toEqual([]);
  expect((await readTold()).map(({ revision, judgeScores }) => [revision, judgeScores?.judgeCount])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

const unsent = { ...skippedFor("provider_error", "It keeps failing."), isUnsent: true };
const uncounted = { ...skippedFor("quota", "The quota cannot be counted."), isPassing: true };

test.each<[string, Partial<Reply> | Error, string, number]>([
  ["a provider that fails", { verdicts: [skippedFor("provider_error", "500")] }, "retry", 1],
  ["a provider that was not asked because it keeps failing", { verdicts: [unsent] }, "retry", 0],
  ["a missing key", { verdicts: [skippedFor("no_key", "No key.")] }, "skipped", 0],
  ["a spent quota of the judge", { verdicts: [skippedFor("quota", "Spent.")] }, "skipped", 0],
  ["a quota that the judge cannot count", { verdicts: [uncounted] }, "postponed", 0],
  ["an unreadable answer", { verdicts: [skippedFor("unparseable", "?")] }, "skipped", 1],
  ["an absent judge", new BusError("no_responder", "nobody", { subject: "s" }), "postponed", 0],
  ["a judge that does not answer in time", new BusError("timeout", "late", { subject: "s" }), "retry", 1],
  ["a trace that is too large", new BusError("too_large", "large", { subject: "s" }), "skipped", 0],
  ["a verdict on record", { verdicts: [buildVerdict({ source: "cache" })] }, "done", 0],
])("after %s the check and the budget stand as they should", async (_, reply, outcome, used) => {
  await tell([buildJudge()]);
  const { judge } = buildChecks({ reply, callsPerDay: 10 });
  await plan([judge], buildSettledTrace({ projectId }));
  expect(await carryOut([judge])).toMatchObject([{ outcome }]);
  expect(await readUsed()).toBe(used);
});

test("deleted traces and scorers are not judged", async () => {
  await tell([buildJudge()]);
  const { judge, asked } = buildChecks({ trace: null });
  await plan([judge], buildSettledTrace({ projectId }));
  expect(await carryOut([judge])).toMatchObject([{ outcome: "skipped", reason: "The trace no longer exists." }]);
  await tell([], [], 2);
  expect(await carryOut([judge])).toMatchObject([{ outcome: "skipped", reason: "The scorer was paused or removed." }]);
  expect(asked).toEqual([]);
});

test("the live judge budget is exact between replicas; further calls are skipped with the reason", async () => {
  const budgets = [1, 2].map(() => createLiveBudget({ database: store.database, callsPerDay: 7 }));
  const reserved = await Promise.all(
    Array.from({ length: 20 }, (_, index) => budgets[index % 2]?.reserve(projectId, 1) ?? null),
  );
  const held = reserved.filter((reservation) => reservation !== null);
  expect(held).toHaveLength(7);
  const other = crypto.randomUUID();
  // Semantic conditions of patterns are calls of the same budget.
  const decide = budgets.map((budget) =>
    withinLiveBudget(async () => ({ matched: true, reason: null }), { budget, projectId: other }),
  );
  const decided = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => decide[at % 2]?.("p", "text")));
  expect(decided.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  await store.query("delete from monitor.live_calls where project_id = $1", [other]);
  expect(await budgets[0]?.reserve(other, 8)).toBeNull();
  expect(await budgets[0]?.reserve(other, 7)).not.toBeNull();

  await tell([buildJudge()]);
  const { judge, asked } = buildChecks({ callsPerDay: 7 });
  await plan([judge], buildSettledTrace({ projectId }));
  expect(await carryOut([judge])).toEqual([{ outcome: "skipped", reason: "Online judge budget exhausted" }]);
  expect(asked).toEqual([]);
  await budgets[1]?.release(held[0] as never, 1);
  expect(await carryOut([judge])).toMatchObject([{ outcome: "done" }]);
  expect(await readUsed()).toBe(7);
});

test("a group asks its judges in one request, with what its other members found", async () => {
  const members = [
    { kind: "judge" as const, refId: scorerId, weight: 2, gate: true },
    { kind: "judge" as const, refId: "gone", weight: 1, gate: false },
    { kind: "pattern" as const, refId: "pattern", weight: 1, gate: false },
    { kind: "custom" as const, refId: "custom", weight: 1, gate: false },
  ];
  await tell([], [buildGroup({ members })]);
  const { group, asked } = buildChecks({
    reply: {
      verdicts: [buildVerdict()],
      group: { rating: 3.3, justification: "Weighted mean.", reason: null, gatedBy: null },
    },
    memberScorers: { pattern: async () => ({ name: "No secrets", goodness: 0, because: null }) },
  });
  const trace = buildSettledTrace({ projectId });
  await plan([group], trace);
  await carryOut([group]);
  expect(asked[0]?.group).toEqual({
    name: "All",
    members: [
      { kind: "judge", refId: scorerId, name: "Tone", weight: 2, gate: true, stoppedByBudget: false },
      { kind: "judge", refId: "gone", name: "gone", weight: 1, gate: false, stoppedByBudget: false },
      { kind: "pattern", refId: "pattern", name: "No secrets", weight: 1, gate: false, goodness: 0, because: null },
      {
        kind: "custom",
        refId: "custom",
        name: "custom",
        weight: 1,
        gate: false,
        goodness: null,
        because: expect.any(String),
      },
    ],
  });
  expect(await readTold()).toMatchObject([
    { judgeScores: { rating: 3.3, scorerName: "All (group)", verdicts: [{ scorerName: "All", isGroup: true }] } },
  ]);
  expect(await store.query("select type from monitor.signals where project_id = $1", [projectId])).toEqual([
    { type: "scorer_group_low_score" },
  ]);
});

test("a group without budget asks no judge and has no score; one whose member fails takes the others' word at last", async () => {
  await tell([], [buildGroup()]);
  const noScore = { rating: null, justification: "No score: budget.", reason: "quota" as const, gatedBy: null };
  const spent = buildChecks({ callsPerDay: 1, reply: { group: noScore } });
  await createLiveBudget({ database: store.database, callsPerDay: 1 }).reserve(projectId, 1);
  await plan([spent.group], buildSettledTrace({ projectId }));
  expect(await carryOut([spent.group])).toEqual([{ outcome: "skipped", reason: "No score: budget." }]);
  expect(spent.asked).toMatchObject([{ judges: [], group: { members: [{ stoppedByBudget: true }] } }]);

  const failing = buildChecks({
    reply: {
      verdicts: [skippedFor("provider_error", "500")],
      group: { rating: 7, justification: "The rest.", reason: null, gatedBy: null },
    },
  });
  expect(await carryOut([failing.group])).toMatchObject([{ outcome: "retry", reason: "500" }]);
  expect(await carryOut([failing.group], 5)).toMatchObject([{ outcome: "done" }]);
});

test("a group waits while the judge cannot count its quota, also on its last try", async () => {
  const second = "second";
  await tell([], [buildGroup({ rubrics: [rubric, { ...rubric, id: second }] })]);
  const { group } = buildChecks({
    callsPerDay: 10,
    reply: {
      verdicts: [buildVerdict({ source: "cache" }), { ...uncounted, judgeId: second }],
      group: { rating: 7, justification: "The rest.", reason: null, gatedBy: null },
    },
  });
  await plan([group], buildSettledTrace({ projectId }));
  for (const attempt of [1, 5]) {
    expect(await carryOut([group], attempt)).toEqual([
      { outcome: "postponed", reason: "The quota cannot be counted." },
    ]);
  }
  expect(await readUsed()).toBe(0);
});

test("judging waits for the store of ingest; a trace that ingest cannot read, and a bug there, are retried", async () => {
  const ingest = await startFakeIngest();
  const client = createInternalClient({
    issuer: "monitor",
    audience: "ingest",
    addresses: [ingest.address],
    rootSecret,
    clock: systemClock,
  });
  const plan = { scope: "trace" as const, agentId: null, sessionId: null, createdAt: new Date().toISOString() };
  const check = { id: "1", kind: "judge" as const, scorerId, round: 0, attempt: 5, plan, projectId };
  const read = async (failure: Error) => {
    ingest.failure = failure;
    return await readSubject(createIngestClient(client), { ...check, subjectId: crypto.randomUUID() });
  };
  try {
    const waiting = { outcome: "postponed", reason: "Ingest is unavailable." };
    expect(await read(new AppError("store_unavailable", "away", { isOutage: true }))).toEqual(waiting);
    expect(await read(serviceStarting())).toEqual(waiting);
    await expect(read(new AppError("store_unavailable", "too long"))).rejects.toThrow("could not answer");
    await expect(read(new Error("a bug"))).rejects.toThrow("could not answer");
  } finally {
    await client.close();
    await ingest.stop();
  }
});
