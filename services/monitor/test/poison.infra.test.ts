import { connectBus } from "@touchstone/bus";
import { tracesSettled } from "@touchstone/contracts";
import { countDeadLetters, createMetrics } from "@touchstone/service-kit";
import { startTestNats, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Check } from "../src/checks/check.ts";
import { createCheckPlanner } from "../src/checks/check-planner.ts";
import { consumeTracesSettled } from "../src/handlers/traces-settled.ts";
import { buildSettledTrace } from "./builders.ts";
import { openTestStore, quiet, type TestStore } from "./test-store.ts";

let store: TestStore;
let nats: TestNats;

beforeAll(async () => {
  store = await openTestStore();
  nats = await startTestNats();
});

afterAll(async () => {
  await nats?.stop();
  await store?.close();
});

test("row 19: an event that nobody can plan is tried five times and kept with its reason, counted, while others are planned", async () => {
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
