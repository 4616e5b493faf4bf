import { openProjectRows } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../integration/src/client.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { openGrading } from "../src/graded-run.ts";
import { type Installation, startInstallation } from "../src/installation.ts";

let system: Installation;

const schemas = ["ingest", "evals", "judge", "monitor"];

beforeAll(async () => {
  system = await startInstallation({ ingests: 2, evalRuns: 1, judges: 1 });
});

afterAll(async () => {
  await system?.stop();
});

/** Rows of a project in the schemas of all services, by schema and table. */
async function countEverywhere(projectId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const schema of schemas) {
    const rows = await openProjectRows(await system.postgres.connect(), schema);
    try {
      for (const [table, count] of Object.entries(await rows.count(projectId))) counts[`${schema}.${table}`] = count;
    } finally {
      await rows.close();
    }
  }
  return counts;
}

/** Sends traces one after the other until the key is refused; returns how many were stored. */
async function writeUntilRefused(apiKey: string): Promise<number> {
  const client = createClient({ url: system.urls[0] as string, apiKey });
  for (let stored = 0; ; ) {
    // Requests in progress when a process was killed have no answer.
    const { status } = await client
      .send("POST", "/ingest/traces", { name: `trace ${stored}`, input: "question" })
      .catch(() => ({ status: 0 }));
    if (status === 401) return stored;
    if (status === 201) stored += 1;
  }
}

test("a project that is deleted while it is written to, with services and the bus killed halfway, is deleted everywhere, and others are intact", async () => {
  const seed = 53;
  const victim = await system.createProject("to be deleted");
  await openGrading({ ...system, apiKey: victim.apiKey }).startRun();
  const [ingest] = system.ingests;
  const [evalRuns] = system.evalRuns;
  const killed = [ingest, system.monitor, system.auth].filter((slot) => slot !== undefined);

  const report = await auditUnderLoad(system, { seed }, async (load) => {
    const writing = writeUntilRefused(victim.apiKey);
    await load.awaitAcks(60);
    const operator = createClient({ url: system.urls[0] as string, apiKey: system.apiKey });
    // It is down before the deletion, so its rows still exist when the others die, however fast those are.
    await evalRuns?.kill();
    expect(await operator.send("DELETE", `/projects/${victim.id}`)).toMatchObject({ status: 204 });
    system.nats.signal("SIGKILL");
    await Promise.all(killed.map((slot) => slot.kill()));
    expect(Object.keys(await countEverywhere(victim.id))).toEqual(
      expect.arrayContaining(["evals.runs", "evals.datasets"]),
    );
    await system.nats.exited;
    await system.nats.restart();
    await Promise.all([...killed, ...system.evalRuns].map((slot) => slot.start()));
    await load.awaitAcks(60);
    expect(await writing).toBeGreaterThan(0);
  });

  await waitUntil(
    "every service has confirmed and the row is gone",
    async () => (await system.postgres.query("select from auth.projects where id = $1", [victim.id])).rows.length === 0,
    { timeoutMs: 90_000 },
  );
  expect(await countEverywhere(victim.id)).toEqual({});
  expectClean(report, { seed });
});
