import { type Database, openDatabase } from "@touchstone/db";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweepIdleRuns } from "../src/runs/fail-idle-runs.ts";
import { createGate, until } from "./conditions.ts";
import { rate } from "./fake-judge.ts";
import { startRun } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useJudge, useProject, useService, useTestSystem } from "./test-system.ts";

/** A role that row-level security does not bind, with permission to change timestamps. */
let administrator: Database;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(() => {
  administrator = openDatabase({
    url: system.database.adminUrl,
    role: new URL(system.database.adminUrl).username,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 20_000,
    logger: quiet,
  });
});

const running = useService(system);
const client = useProject(running);

afterAll(async () => {
  await administrator?.close();
});

/** Makes the run, or its results, this much older. */
async function age(table: "runs" | "results", runId: string, hours: number): Promise<void> {
  await administrator.query({
    name: `test_age_${table}`,
    text: `
      update evals.${table}
      set created_at = created_at - $2 * interval '1 hour'
      where ${table === "runs" ? "id" : "run_id"} = $1`,
    values: [runId, hours],
  });
}

test("a run without new results is ended as failed, and no other", async () => {
  const hour = 3_600_000;
  const sweeper = sweepIdleRuns({ database: system.open("maintenance"), idleMs: 24 * hour, logger: quiet });
  const [fresh, empty, idle, active, judged, done, crashed] = await Promise.all(
    Array.from({ length: 7 }, () => startRun(client, buildDataset())),
  );
  for (const runId of [idle, active]) await client.submit(runId as string, [buildResult()]);
  await client.finalize(done as string);
  for (const runId of [empty, idle, active, judged, done, crashed]) await age("runs", runId as string, 25);
  await age("results", idle as string, 25);
  const gate = createGate();
  judge.behave(async () => {
    await gate.opened;
    return rate(7);
  });
  const submitted = client.submit(judged as string, [buildResult()]);
  await until(() => expect(judge.atWork()).toBe(1));

  // Left behind by a service that was killed while it judged.
  await administrator.query({
    name: "test_leave_claim",
    text: `
      insert into evals.claims
      select (
        jsonb_populate_record(claims, jsonb_build_object(
          'run_id', $1::text, 'id', gen_random_uuid(), 'lease_until', now() - interval '1 minute'))).*
      from evals.claims
      where run_id = $2`,
    values: [crashed, judged],
  });

  expect(await sweeper.sweep()).toBe(3);
  expect(await sweeper.sweep()).toBe(0);

  gate.open();
  expect((await submitted).status).toBe(200);
  const statusOf = async (runId?: string) => (await client.readRun(runId as string)).status;
  expect(await Promise.all([fresh, empty, idle, active, judged, done, crashed].map(statusOf))).toEqual([
    "in_progress",
    "failed",
    "failed",
    "in_progress",
    "in_progress",
    "completed",
    "failed",
  ]);
  expect(await client.submit(idle as string, [buildResult()])).toMatchObject({ status: 409 });
  await sweeper.stop();
});
