import { randomUUID } from "node:crypto";
import { type Bus, connectBus } from "@touchstone/bus";
import {
  type JudgedTrace,
  matchPattern,
  type SettledTrace,
  signalList,
  tracesSettled,
  tracesStored,
} from "@touchstone/contracts";
import type { Service } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { buildSettledTrace } from "./builders.ts";
import { type FakeIngest, startFakeIngest } from "./fake-ingest.ts";
import { createProjectClient, type ProjectClient, startMonitor } from "./start-monitor.ts";
import { quiet } from "./test-store.ts";

// A monitor for the tests of one file, with a fake ingest and a scripted judge.

let database: TestDatabase;
/** Where its bus is. */
export let nats: TestNats;
/** Where monitor finds agents and traces. */
export let fakeIngest: FakeIngest;
let monitor: { service: Service; address: string };
let asIngest: Bus;
export let asJudge: Bus;
/** Live judge calls of a project in a day. */
export const liveCallsPerDay = 6;
/** The judge's requests. */
export const asked: { prompt: string; text: string }[] = [];
let decide: (prompt: string) => boolean | "fails" = () => false;

/** The judge's answers from now on. */
export function judgeBy(rule: typeof decide): void {
  decide = rule;
}

/** Starts it before the tests of the file that calls this, and ends it after them. */
export function useWatchingMonitor(): void {
  beforeAll(async () => {
    asked.length = 0;
    decide = () => false;
    [database, nats, fakeIngest] = await Promise.all([createTestDatabase(), startTestNats(), startFakeIngest()]);
    monitor = await startMonitor({
      databaseUrl: database.url,
      natsUrl: nats.url,
      ingestUrl: fakeIngest.address,
      settings: { SERVICE_QUOTA_ONLINE_JUDGE_CALLS_PER_DAY: String(liveCallsPerDay) },
    });
    asIngest = connectBus({ url: nats.url, service: "ingest", logger: quiet });
    asJudge = connectBus({ url: nats.url, service: "judge", logger: quiet });
    await vi.waitFor(() => expect([asIngest.status(), asJudge.status()]).toEqual(["connected", "connected"]));
    await asJudge.answer(
      matchPattern,
      async ({ prompt, text }) => {
        asked.push({ prompt, text });
        const said = decide(prompt);
        if (said === "fails")
          return { match: null, failure: { reason: "no_key" as const, message: "There is no key." } };
        return { match: { matched: said, reason: "because" }, failure: null };
      },
      { concurrency: 4 },
    );
  });

  afterAll(async () => {
    await asIngest?.drain();
    await asJudge?.drain();
    await monitor?.service.stop();
    await fakeIngest?.stop();
    await nats?.stop();
    await database?.drop();
  });
}

export const newProject = (): ProjectClient => createProjectClient(monitor.address);

export async function query(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

export async function createPattern(project: ProjectClient, pattern: object): Promise<{ _id: string; key: string }> {
  const { status, body } = await project.send("POST", "/monitor/patterns", { name: "Refunds", ...pattern });
  expect(status).toBe(201);
  return body.pattern;
}

/** A trace that ingest has, and its settled event. */
export function record(
  project: ProjectClient,
  trace: Partial<JudgedTrace>,
  settled: Partial<SettledTrace> = {},
): SettledTrace {
  const traceId = fakeIngest.addTrace(project.projectId, trace);
  return buildSettledTrace({ projectId: project.projectId, traceId, ...settled });
}

export const settle = (...traces: SettledTrace[]): Promise<unknown> =>
  asIngest.publish(tracesSettled, { traces }, { messageId: randomUUID() });
export const store = (...traces: SettledTrace[]): Promise<unknown> =>
  asIngest.publish(tracesStored, { traces }, { messageId: randomUUID() });

export const listSignals = async (project: ProjectClient, filter = "") =>
  signalList.parse((await project.send("GET", `/monitor/signals${filter}`)).body).signals;

export const outcomesOf = async (project: ProjectClient) =>
  (await query("select outcome from monitor.checks where project_id = $1", [project.projectId])).map(
    ({ outcome }) => outcome,
  );

export const untilChecked = (project: ProjectClient, count: number) =>
  vi.waitFor(async () => {
    const outcomes = await outcomesOf(project);
    expect(outcomes).toHaveLength(count);
    expect(outcomes).not.toContain(null);
  });
