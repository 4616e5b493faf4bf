import type { SettledTrace } from "@touchstone/contracts";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Check, CheckKind, CheckOutcome, DueCheck } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { type CheckStore, createCheckStore, trimChecks } from "../src/checks/check-store.ts";
import { type CheckWorker, startCheckWorker, type WorkerTimings } from "../src/checks/check-worker.ts";
import { buildSettledTrace } from "./builders.ts";
import { quiet, useTestStore } from "./test-store.ts";

const fast: WorkerTimings = {
  leaseMs: 60_000,
  renewMs: 20_000,
  pollMs: 20,
  retryDelaysMs: [1, 1, 1, 1],
  postponeMs: [1, 5],
  drainMs: 20_000,
};

const store = useTestStore();
let checkStore: CheckStore;
const workers: CheckWorker[] = [];

beforeAll(() => {
  checkStore = createCheckStore(store);
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await store.query("delete from monitor.checks");
});

/** A kind of check that is due once for each trace. */
function everyTrace(kind: CheckKind, carryOut: Check["carryOut"] = async () => nothingFound): Check {
  return {
    kind,
    plan: async (trace) => [{ kind, scorerId: "", subjectId: trace.traceId, round: 0, plan: { name: trace.name } }],
    carryOut,
  };
}

const nothingFound: CheckOutcome = { outcome: "done", record: async () => {} };

/** Writes a row that can be counted. */
const found = (check: DueCheck): CheckOutcome => ({
  outcome: "done",
  record: async (transaction) => {
    await transaction.query({
      name: "",
      text: `insert into monitor.patterns (project_id, id, key, document, created_at, updated_at)
             values ($1, gen_random_uuid(), gen_random_uuid(), '{}', now(), now())`,
      values: [check.projectId],
    });
  },
});
const countFound = async (projectId: string): Promise<number> =>
  (await store.query("select from monitor.patterns where project_id = $1", [projectId])).length;

function plan(traces: SettledTrace[], checks: Check[], onPlanned = (): void => {}): Promise<void> {
  return createCheckPlanner({ database: store.database, checks, logger: quiet, onPlanned }).plan(traces);
}

function startWorker(checks: Check[], options: { timings?: WorkerTimings; concurrency?: number } = {}): CheckWorker {
  const worker = startCheckWorker({
    store: checkStore,
    checks,
    logger: quiet,
    concurrency: options.concurrency ?? 8,
    timings: options.timings ?? fast,
  });
  workers.push(worker);
  return worker;
}

interface CheckRow {
  kind: string;
  subject_id: string;
  outcome: string | null;
  reason: string | null;
  attempts: number;
}
const readChecks = (): Promise<CheckRow[]> =>
  store.query<CheckRow>("select kind, subject_id, outcome, reason, attempts from monitor.checks order by kind");
const settled = async (): Promise<CheckRow[]> => {
  await vi.waitFor(async () => expect((await readChecks()).every(({ outcome }) => outcome !== null)).toBe(true));
  return readChecks();
};

test("each check of a settled trace is carried out once, however often the trace comes", async () => {
  const carried: DueCheck[] = [];
  const checks = [
    everyTrace("patterns", async (check) => {
      carried.push(check);
      return found(check);
    }),
    everyTrace("judge"),
  ];
  const trace = buildSettledTrace({ sessionId: "s", failedTools: ["a,b", '"c"'] });
  await plan([trace, trace], checks);
  startWorker(checks);
  expect((await settled()).map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ["judge", "done"],
    ["patterns", "done"],
  ]);
  await plan([{ ...trace, toolCalls: 2 }], checks);

  expect(await readChecks()).toHaveLength(2);
  expect(carried).toMatchObject([{ projectId: trace.projectId, subjectId: trace.traceId, attempt: 1 }]);
  expect(carried[0]?.plan).toEqual({ name: trace.name });
  expect(await countFound(trace.projectId)).toBe(1);
  expect(
    await store.query("select session_id, failed_tools, tool_calls from monitor.seen_traces where trace_id = $1", [
      trace.traceId,
    ]),
  ).toEqual([{ session_id: "s", failed_tools: ["a,b", '"c"'], tool_calls: 2 }]);
});

test("no check is planned for unwatched traces, for a deleted project, or for traces that settled a week ago", async () => {
  const checks = [everyTrace("patterns")];
  const closed = buildSettledTrace();
  await store.query("insert into monitor.deleted_projects (project_id, next_pass_at) values ($1, null)", [
    closed.projectId,
  ]);
  const old = buildSettledTrace();
  await plan([old], []);
  await store.query("update monitor.seen_traces set settled_at = now() - interval '7 days' where trace_id = $1", [
    old.traceId,
  ]);
  const asked = buildSettledTrace({ trafficSource: "eval-run", monitor: true });
  await plan(
    [
      closed,
      old,
      buildSettledTrace({ monitor: false }),
      buildSettledTrace({ trafficSource: "eval-run" }),
      buildSettledTrace({ trafficSource: "eval-run", monitor: false }),
      asked,
    ],
    checks,
  );
  expect((await readChecks()).map((check) => check.subject_id)).toEqual([asked.traceId]);
  expect(await store.query("select from monitor.seen_traces where trace_id = $1", [closed.traceId])).toEqual([]);
});

test("a trace that grows after it was forgotten is not judged again, nor its session", async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const forgotten = buildSettledTrace({ createdAt: daysAgo(61), sessionId: "old" });
  const remembered = buildSettledTrace({ createdAt: daysAgo(59), sessionId: "young" });
  const asked = buildSettledTrace({ createdAt: daysAgo(300), sessionId: "asked", monitor: true });
  await plan([forgotten, remembered, asked], [everyTrace("patterns")]);
  const planned = new Set((await readChecks()).map((check) => check.subject_id));
  expect(planned).toEqual(new Set([remembered.traceId, asked.traceId]));
  const active = "select from monitor.sessions where project_id = $1";
  const counts = [forgotten, remembered].map(async ({ projectId }) => (await store.query(active, [projectId])).length);
  expect(await Promise.all(counts)).toEqual([0, 1]);
});

test("child spans are checked by themselves, once, without counting as traffic", async () => {
  const checks = [everyTrace("judge"), { ...everyTrace("topic"), ignoresChildren: true as const }];
  const child = buildSettledTrace({ sessionId: "chat", hasError: true });
  const { projectId } = child;
  const old = buildSettledTrace({ projectId, createdAt: new Date(Date.now() - 6.5 * 86_400_000).toISOString() });
  const planner = createCheckPlanner({ database: store.database, checks, logger: quiet, onPlanned() {} });
  await planner.planChildren([child, old, buildSettledTrace({ projectId, monitor: false })]);
  await planner.planChildren([child]);
  expect((await readChecks()).map(({ kind, subject_id }) => [kind, subject_id])).toEqual([["judge", child.traceId]]);
  for (const table of ["seen_traces", "sessions", "events"]) {
    expect(await store.query(`select from monitor.${table} where project_id = $1`, [projectId])).toEqual([]);
  }
});

test("a kind that cannot plan removes only itself, and plans when the trace comes again", async () => {
  let isBroken = true;
  const broken: Check = {
    ...everyTrace("topic"),
    async plan(trace, transaction) {
      if (isBroken) await transaction.query({ name: "", text: "select from no.such_table" });
      return everyTrace("topic").plan(trace, transaction);
    },
  };
  const checks = [broken, everyTrace("judge")];
  const trace = buildSettledTrace();
  await expect(plan([trace], checks)).rejects.toThrow();
  expect((await readChecks()).map(({ kind }) => kind)).toEqual(["judge"]);
  isBroken = false;
  await plan([trace], checks);
  expect((await readChecks()).map(({ kind }) => kind)).toEqual(["judge", "topic"]);
});

test("a check that fails is tried again and given up after the fifth try; the others of its trace are done", async () => {
  let tries = 0;
  const checks = [
    everyTrace("judge", async () => {
      tries += 1;
      throw new Error("the provider is on fire");
    }),
    everyTrace("patterns", async (check) => found(check)),
    everyTrace("topic", async () => ({ outcome: "skipped", reason: "no key" })),
    everyTrace("custom", async ({ attempt }) => (attempt < 3 ? { outcome: "retry", reason: "not yet" } : nothingFound)),
  ];
  const trace = buildSettledTrace();
  await plan([trace], checks);
  startWorker(checks);
  expect((await settled()).map(({ kind, outcome, reason, attempts }) => [kind, outcome, reason, attempts])).toEqual([
    ["custom", "done", null, 3],
    ["judge", "given-up", "the provider is on fire", 5],
    ["patterns", "done", null, 1],
    ["topic", "skipped", "no key", 1],
  ]);
  expect(tries).toBe(5);
  expect(await countFound(trace.projectId)).toBe(1);
});

test("waiting for an unavailable service counts no tries, and delays no other kind", async () => {
  let absences = 9;
  const checks = [
    everyTrace("judge", async () => {
      absences -= 1;
      return absences >= 0 ? { outcome: "postponed", reason: "no judge" } : nothingFound;
    }),
    everyTrace("patterns"),
  ];
  await plan([buildSettledTrace()], checks);
  startWorker(checks);
  expect(await settled()).toMatchObject([
    { kind: "judge", outcome: "done", attempts: 1 },
    { kind: "patterns", outcome: "done", attempts: 1 },
  ]);
  expect(absences).toBe(-1);
});

test("what could not be stored is not half stored, and is tried again", async () => {
  const checks = [
    everyTrace("judge", async (check) => {
      const finding = found(check);
      if (finding.outcome !== "done" || check.attempt > 1) return finding;
      return {
        outcome: "done",
        async record(transaction) {
          await finding.record(transaction);
          throw new Error("a bug after the first row");
        },
      };
    }),
  ];
  const trace = buildSettledTrace();
  await plan([trace], checks);
  startWorker(checks);
  expect(await settled()).toMatchObject([{ outcome: "done", attempts: 2 }]);
  expect(await countFound(trace.projectId)).toBe(1);
});

test("a check whose worker was killed is taken over; one that was only paused writes nothing when it resumes", async () => {
  const resume = Promise.withResolvers<void>();
  const inFirstHands = Promise.withResolvers<AbortSignal>();
  const trace = buildSettledTrace();
  await plan([trace], [everyTrace("judge")]);
  // Its lease is never renewed and ends at once: a process that the system stopped.
  const paused = startWorker(
    [
      everyTrace("judge", async (check, signal) => {
        inFirstHands.resolve(signal);
        await resume.promise;
        return found(check);
      }),
    ],
    { timings: { ...fast, leaseMs: 1, renewMs: 60_000 }, concurrency: 1 },
  );
  await inFirstHands.promise;
  startWorker([everyTrace("judge", async (check) => found(check))]);
  expect(await settled()).toMatchObject([{ outcome: "done", attempts: 2 }]);
  resume.resolve();
  await paused.stop();
  expect(await countFound(trace.projectId)).toBe(1);
});

test("a check is settled by its current holder, not by a worker that lost it", async () => {
  const take = async (leaseMs: number) => {
    const [taken] = await checkStore.take({
      ...{ token: crypto.randomUUID(), count: 1, perProject: 1, inHand: new Map(), after: crypto.randomUUID() },
      ...{ kinds: ["judge"], lease: { ms: leaseMs, backOffMs: [1] } },
    });
    if (taken === undefined) throw new Error("nothing is due");
    return taken;
  };
  const ending = { outcome: "done", reason: null } as const;
  await plan([buildSettledTrace()], [everyTrace("judge")]);
  const first = await take(1);
  const second = await vi.waitFor(() => take(60_000));
  const written: string[] = [];

  expect(await checkStore.settle(first, ending, async () => void written.push("first"))).toBe(false);
  expect(await checkStore.settle(second, ending, async () => void written.push("second"))).toBe(true);
  expect(written).toEqual(["second"]);
});

test("a renewed lease outlives its time, and a lost one stops the work", async () => {
  const signals: AbortSignal[] = [];
  const release = Promise.withResolvers<void>();
  const checks = [
    everyTrace("judge", async (check, signal) => {
      signals.push(signal);
      await Promise.race([release.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      return found(check);
    }),
  ];
  const trace = buildSettledTrace();
  await plan([trace], checks);
  const renewals = vi.fn<CheckStore["renew"]>(checkStore.renew);
  const worker = startCheckWorker({
    store: { ...checkStore, renew: renewals },
    checks,
    logger: quiet,
    concurrency: 1,
    timings: { ...fast, renewMs: 5 },
  });
  workers.push(worker);
  await vi.waitFor(() => expect(renewals.mock.settledResults.length).toBeGreaterThan(2));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

  await store.query("update monitor.checks set leased_by = gen_random_uuid(), due_at = now() + interval '1 hour'");
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
  release.resolve();
  await worker.stop();
  expect(await countFound(trace.projectId)).toBe(0);
});

test("a worker that stops puts back its unfinished checks, uncounted", async () => {
  const begun = Promise.withResolvers<void>();
  const checks = [
    everyTrace("judge", async (_, signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("stopped");
    }),
  ];
  await plan([buildSettledTrace()], checks);
  const worker = startWorker(checks, { timings: { ...fast, drainMs: 1 } });
  await begun.promise;
  await worker.stop();
  expect(await readChecks()).toMatchObject([{ outcome: null, attempts: 0 }]);
  expect(await checkStore.countDue()).toBe(1);
});

test("a check that kills every worker is given up", async () => {
  const checks = [everyTrace("judge")];
  await plan([buildSettledTrace()], checks);
  await store.query("update monitor.checks set attempts = 5");
  startWorker(checks);
  expect(await settled()).toMatchObject([{ outcome: "given-up", reason: "no try came to an end" }]);
});

test("a project with a long backlog delays no other", async () => {
  const busy = crypto.randomUUID();
  const backlog = Array.from({ length: 40 }, () => buildSettledTrace({ projectId: busy }));
  const others = Array.from({ length: 3 }, () => buildSettledTrace());
  const checks = [everyTrace("judge")];
  await plan([...backlog, ...others], checks);
  const take = (count: number, inHand: ReadonlyMap<string, number> = new Map()) =>
    checkStore.take({
      token: crypto.randomUUID(),
      count,
      perProject: 6,
      inHand,
      kinds: ["judge"],
      after: busy,
      lease: { ms: 60_000, backOffMs: [1] },
    });
  const first = await take(8);
  const ofOthers = first.filter(({ projectId }) => projectId !== busy).map(({ subjectId }) => subjectId);
  expect(ofOthers.sort()).toEqual(others.map(({ traceId }) => traceId).sort());
  expect(first).toHaveLength(8);
  // With five in progress it may take only one more.
  expect(await take(8, new Map([[busy, 5]]))).toHaveLength(1);
  expect(await take(8, new Map([[busy, 6]]))).toEqual([]);
});

test("checks that ended a week ago are forgotten, and no other", async () => {
  const checks = [everyTrace("judge"), everyTrace("patterns"), everyTrace("topic")];
  await plan([buildSettledTrace()], checks);
  await store.query(
    "update monitor.checks set settled_at = now() - interval '8 days', outcome = 'done' where kind = 'judge'",
  );
  await store.query(
    "update monitor.checks set settled_at = now() - interval '6 days', outcome = 'done' where kind = 'topic'",
  );
  await store.query("update monitor.checks set created_at = now() - interval '9 days' where kind = 'patterns'");
  const trimming = trimChecks({ maintenance: store.maintenance, logger: quiet });
  expect(await trimming.sweep()).toBe(1);
  await trimming.stop();
  expect((await readChecks()).map(({ kind }) => kind)).toEqual(["patterns", "topic"]);
});
