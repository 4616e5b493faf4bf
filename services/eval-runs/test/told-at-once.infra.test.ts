import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, connectBus } from "@touchstone/bus";
import { keepLiveScorers, type LiveScorers } from "@touchstone/contracts";
import { afterAll, beforeEach, expect, test } from "vitest";
import { until } from "./conditions.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useService, useTestSystem } from "./test-system.ts";

const evaluators = "/api/v1/monitor/online-evaluators";
const scorers = "/api/v1/agent-monitoring/judge-scorers";
const groups = "/api/v1/agent-monitoring/scorer-groups";

let client: ProjectClient;
let monitor: Bus | null = null;

const system = useTestSystem();
const running = useService(system);

afterAll(async () => {
  await monitor?.drain();
});
beforeEach(async () => {
  await monitor?.drain();
  monitor = null;
  client = createProjectClient(running.address);
});

/** A monitor that takes its time, or hangs. */
async function startMonitor(answer: (told: LiveScorers, signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const bus = connectBus({ url: system.nats.url, service: "monitor", logger: quiet });
  monitor = bus;
  await bus.answer(
    keepLiveScorers,
    async (told, { signal }) => {
      await answer(told, signal);
      return {};
    },
    { concurrency: 4 },
  );
  await until(() => expect(bus.status()).toBe("connected"));
}

test("a change of live scorers is acknowledged when monitor has it", async () => {
  let newest: LiveScorers | null = null;
  await startMonitor(async (told) => {
    await sleep(100);
    newest = told;
  });
  const kept = () => newest as LiveScorers | null;

  const before = Date.now();
  const { body: scorer } = await client.sendTo("POST", scorers, { name: "Tone", online: {} });
  const id = scorer.judgeScorer._id;
  expect(kept()?.judges.map(({ scorerId, enabled }) => [scorerId, enabled])).toContainEqual([id, true]);
  const changedAt = Date.parse(kept()?.changedAt ?? "");
  expect(changedAt).toBeGreaterThanOrEqual(before - 1_000);
  expect(changedAt).toBeLessThanOrEqual(Date.now());

  await client.sendTo("PUT", `${scorers}/${id}`, { online: { enabled: false } });
  expect(kept()?.judges.map(({ scorerId, enabled }) => [scorerId, enabled])).toContainEqual([id, false]);

  const offline = (await client.sendTo("POST", scorers, { name: "Other" })).body.judgeScorer._id;
  const revision = kept()?.revision;
  const { body: evaluator } = await client.sendTo("POST", evaluators, { name: "Live", evaluationSettingsId: offline });
  expect(kept()?.judges.map(({ profileId }) => profileId)).toContain(evaluator.evaluator._id);
  expect(kept()?.revision).toBe((revision ?? 0) + 1);

  const members = [{ kind: "judge", refId: offline }];
  const { body: group } = await client.sendTo("POST", groups, { name: "All", members, online: {} });
  expect(kept()?.groups.map(({ groupId }) => groupId)).toEqual([group.scorerGroup._id]);
  await client.sendTo("DELETE", `${groups}/${group.scorerGroup._id}`);
  expect(kept()?.groups).toEqual([]);
});

test("a change is acknowledged without monitor too, and while monitor hangs", async () => {
  expect((await client.sendTo("POST", scorers, { name: "Alone", online: {} })).status).toBe(201);
  let asked = 0;
  await startMonitor((_told, signal) => {
    asked += 1;
    return once(signal, "abort");
  });
  expect((await client.sendTo("POST", scorers, { name: "Patient", online: {} })).status).toBe(201);
  expect(asked).toBeGreaterThan(0);
});
