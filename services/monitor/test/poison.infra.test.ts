import { connectBus } from "@touchstone/bus";
import { tracesSettled } from "@touchstone/contracts";
import { countDeadLetters, createComputePool, createMetrics } from "@touchstone/service-kit";
import { startTestNats, type TestNats } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { consumeTracesSettled } from "../src/checks/bus.ts";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { type CheckStore, createCheckStore } from "../src/checks/check-store.ts";
import { type CheckWorker, startCheckWorker, type WorkerTimings } from "../src/checks/check-worker.ts";
import { insertChecks } from "../src/checks/planned-check-store.ts";
import { createPatternMatcher } from "../src/patterns/matching/pattern-matcher.ts";
import { createPatternsCheck } from "../src/patterns/patterns-check.ts";
import { createFindingStore } from "../src/signals/finding-store.ts";
import { buildSettledTrace } from "./builders.ts";
import { buildTrace } from "./judging-builders.ts";
import { endless, tedious } from "./tedious-regex.ts";
import { quiet, useTestStore } from "./test-store.ts";

const store = useTestStore();
let nats: TestNats;

beforeAll(async () => {
  nats = await startTestNats();
});

const workers: CheckWorker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await store.query("delete from monitor.checks");
});

afterAll(async () => {
  await nats?.stop();
});

test("row 19: an event that cannot be planned is tried five times and kept with its reason, counted, while others are planned", async () => {
  const metrics = createMetrics();
  const bus = connectBus({
    url: nats.url,
    service: "monitor",
    logger: quiet,
    onDeadLetter: countDeadLetters({ service: "monitor", metrics }),
  });
  const ingest = connectBus({ url: nats.url, service: "ingest", logger: quiet });
  await vi.waitFor(() => expect([bus.status(), ingest.status()]).toEqual(["connected", "connected"]));
  let isMended = false;
  let tries = 0;
  const check: Check = {
    kind: "patterns",
    async plan({ name, traceId }) {
      if (name === "poison" && !isMended) {
        tries += 1;
        throw new Error("a bug in a plan");
      }
      return [{ kind: "patterns", scorerId: "", subjectId: traceId, round: 0, plan: null }];
    },
    carryOut: async () => ({ outcome: "done", record: async () => {} }),
  };
  const planner = createCheckPlanner({ database: store.database, checks: [check], logger: quiet, onPlanned: () => {} });
  // As the service does, but for the minutes between the tries.
  const soon: typeof bus.consume = (contract, options, handler) =>
    bus.consume(contract, { ...options, retryDelaysMs: [10] }, handler);
  await consumeTracesSettled({ ...bus, consume: soon }, { planner });
  const readPlanned = async () =>
    (await store.query<{ subject_id: string }>("select subject_id from monitor.checks")).map((row) => row.subject_id);

  const poison = buildSettledTrace({ name: "poison" });
  const others = Array.from({ length: 10 }, () => buildSettledTrace());
  await ingest.publish(tracesSettled, { traces: [poison] }, { messageId: "poisoned" });
  for (const trace of others) await ingest.publish(tracesSettled, { traces: [trace] }, { messageId: trace.traceId });
  await vi.waitFor(async () => expect(await metrics.metrics()).toContain(`durable="monitor-trace-settled"} 1`));
  // Planned together it fails, and by itself: twice a try.
  expect(tries).toBe(10);
  await vi.waitFor(async () =>
    expect((await readPlanned()).sort()).toEqual(others.map(({ traceId }) => traceId).sort()),
  );

  isMended = true;
  const reasons: string[] = [];
  await bus.sortDeadLetters(tracesSettled, "monitor-trace-settled", ({ reason, attempts, messageId }) => {
    reasons.push(`${messageId}: ${reason}, ${attempts} tries`);
    return "replay";
  });
  expect(reasons).toEqual(["poisoned: Error: a bug in a plan, 5 tries"]);
  await vi.waitFor(async () => expect(await readPlanned()).toContain(poison.traceId));
  await bus.drain();
  await ingest.drain();
});

function startWorker(check: Check, timings: Partial<WorkerTimings>): { renewals: () => number } {
  const checkStore = createCheckStore(store);
  const renew = vi.fn<CheckStore["renew"]>(checkStore.renew);
  const brief = {
    leaseMs: 60_000,
    renewMs: 20,
    pollMs: 20,
    retryDelaysMs: [10],
    postponeMs: [1, 5] as const,
    drainMs: 1,
  };
  const worker = startCheckWorker({
    store: { ...checkStore, renew },
    checks: [check],
    logger: quiet,
    concurrency: 1,
    timings: { ...brief, ...timings },
  });
  workers.push(worker);
  return { renewals: () => renew.mock.settledResults.length };
}

async function planPatterns(plan: object): Promise<string> {
  const { projectId, traceId } = buildSettledTrace();
  const check = { kind: "patterns", scorerId: "", subjectId: traceId, round: 0, plan } as const;
  await store.database.scoped([projectId], (transaction) => insertChecks(transaction, [{ projectId, check }]));
  return projectId;
}

test("a check whose worker is killed comes back counted, after its lease and a pause that grows", async () => {
  await planPatterns({});
  const hour = 3_600_000;
  const readRow = async () => {
    const hours = "round(extract(epoch from due_at - now()) / 3600)::integer as hours";
    return (await store.query(`select attempts, ${hours} from monitor.checks`))[0];
  };
  // As if it were killed: it holds the check permanently.
  const takeAndFreeze = async (): Promise<void> => {
    const inHand = Promise.withResolvers<void>();
    const carryOut: Check["carryOut"] = async (_, signal) => {
      inHand.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { outcome: "skipped", reason: "stopped" };
    };
    const timings = { leaseMs: hour, renewMs: hour, retryDelaysMs: [2 * hour, 4 * hour] };
    startWorker({ kind: "patterns", plan: async () => [], carryOut }, timings);
    await inHand.promise;
  };

  await takeAndFreeze();
  expect(await readRow()).toEqual({ attempts: 1, hours: 3 });
  await store.query("update monitor.checks set due_at = now()");
  await takeAndFreeze();
  expect(await readRow()).toEqual({ attempts: 2, hours: 5 });
});

test("a pattern that takes too long is tried twice and given up as a timeout; its lease is renewed, and what else was found is recorded", async () => {
  const pool = createComputePool({ name: "test", logger: quiet, metrics: createMetrics(), threadsMax: 2, queueMax: 8 });
  const document = { polarity: "failure", severity: "low", name: "P", enabled: true };
  const quick = { ...endless[0], detector: "contains", value: "ab" };
  const patterns = [
    { id: "slow", key: "custom:slow", document: { ...document, conditions: endless } },
    { id: "quick", key: "custom:quick", document: { ...document, conditions: [quick] } },
  ];
  const check = createPatternsCheck({
    ...{ bus: null as never, budget: null as never, watchesOtlp: true, logger: quiet },
    patterns: { findAll: async () => patterns as never },
    ingest: { readTrace: async (_: string, traceId: string) => buildTrace({ traceId, output: tedious }) },
    findings: createFindingStore({ publicAddress: null }),
    matcher: createPatternMatcher(pool, { patternMs: 500, patternsMs: 10_000 }),
  });
  const createdAt = new Date().toISOString();
  const ids = { patternIds: ["slow", "quick"], builtinKeys: [], agentId: null, sessionId: null };
  const projectId = await planPatterns({ ...ids, createdAt });

  const { renewals } = startWorker(check, {});

  const readRows = () =>
    store.query("select outcome, reason, attempts from monitor.checks where settled_at is not null");
  const reason = "timeout: custom:slow took more than 500 ms";
  await vi.waitFor(async () => expect(await readRows()).toEqual([{ outcome: "given-up", reason, attempts: 2 }]));
  const signals = await store.query("select pattern_key from monitor.signals where project_id = $1", [projectId]);
  expect(signals).toEqual([{ pattern_key: "custom:quick" }]);
  expect(renewals()).toBeGreaterThan(2);
  await pool.stop();
});
